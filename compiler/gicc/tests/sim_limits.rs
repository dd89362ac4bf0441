//! What a thread may use: local arrays up to the 512 KiB of a GPU, recursion until the stack ends, and `printf` with fewer
//! arguments than its format takes or with texts in every kind of memory.

mod sim_support;

use sim_support::{Bench, Params};

/// A kernel that uses both ends of a local array that no register holds, in every thread.
fn array(ints: usize) -> String {
    format!(
        r#"
extern "C" __global__ void k(int *o) {{
  int a[{ints}];
  int t = threadIdx.x;
  for (int i = 0; i < 8; ++i) a[i * (o[0] + 1)] = t * 1000 + i, a[{ints} - 1 - i * (o[0] + 1)] = t * 2000 + i;
  __syncthreads();
  int wrong = 0;
  for (int i = 0; i < 8; ++i) wrong += a[i * (o[0] + 1)] != t * 1000 + i, wrong += a[{ints} - 1 - i * (o[0] + 1)] != t * 2000 + i;
  o[1 + t] = wrong + 7;
}}"#
    )
}

#[test]
fn local_arrays_may_have_what_a_gpu_gives_a_thread() {
    for ints in [100, 8_000, 30_000, 33_000, 70_000, 131_000] {
        let mut bench = Bench::one(&array(ints));
        let o = bench.buffer("o", &[0; 65]);
        bench.run("k", 1, 64, Params::new().ptr(o)).unwrap();
        assert_eq!(bench.words(o, 65)[1..], [7; 64], "{ints} ints");
    }
}

#[test]
fn an_array_beyond_that_is_refused_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let module = sim_support::bitcode(folder.path(), &array(140_000));
    let errors = sim_support::emit(&module, &folder.path().join("k.so")).unwrap_err();
    let text = errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    assert!(text.contains("the local variables of one function have 560000 bytes"), "{text}");
    assert!(errors[0].span.is_some(), "{text}");
}

#[test]
fn recursion_without_end_is_a_fault_at_its_place() {
    for ints in [1, 1000, 30_000, 100_000] {
        let mut bench = Bench::one(&format!(
            r#"
__device__ __noinline__ int deep(volatile int *o, int n) {{
  int a[{ints}];
  a[n % {ints}] = n;
  if (o[0] == n) return 1;
  int r = deep(o, n + 1);
  return r + a[(n + o[0]) % {ints}];
}}
extern "C" __global__ void k(int *o) {{ o[1] = deep(o, 1); }}"#
        ));
        let o = bench.buffer("o", &[0; 2]);
        let error = bench.run("k", 1, 32, Params::new().ptr(o)).unwrap_err().to_string();
        assert!(error.starts_with("kernel.cu:"), "{error}");
        assert!(error.contains("bytes is used up: functions call each other too deeply"), "{error}");
    }
}

#[test]
fn printf_with_too_few_arguments_is_a_fault_at_its_place() {
    for format in ["%d", "%s", "%f", "%lld %*d"] {
        let mut bench = Bench::one(&format!("extern \"C\" __global__ void k() {{\n  printf(\"{format}\\n\");\n}}"));
        let error = bench.run("k", 1, 1, Params::new()).unwrap_err().to_string();
        assert!(error.starts_with("kernel.cu:2:"), "{error}");
        assert!(error.ends_with("printf is called with fewer arguments than its format takes"), "{error}");
    }
}

#[test]
fn printf_reads_texts_of_every_memory() {
    let mut bench = Bench::one(
        r#"
__device__ char global[8] = "global";
__constant__ char constant[12] = "constant";
extern "C" __global__ void k(char *o) {
  __shared__ char shared[8];
  char local[4] = {'a', 'b', (char)('c' + o[0]), 0};
  shared[0] = 's'; shared[1] = 'h'; shared[2] = 0;
  printf(local);
  printf(" %s %s %s %s %s\n", local, shared, global, constant, "literal");
}"#,
    );
    let o = bench.buffer("o", &[0]);
    let report = bench.run("k", 1, 1, Params::new().ptr(o)).unwrap();
    assert_eq!(report.output, "abc abc sh global constant literal\n");
}

const CLASSES: &str = r#"
struct Shape {
  __device__ virtual int area(int x) const = 0;
  __device__ virtual ~Shape() {}
  __device__ int twice(int x) const { return 2 * area(x); }
};
struct Square : Shape {
  int side;
  __device__ Square(int side) : side(side) {}
  __device__ int area(int x) const override { return side * side + x; }
};
"#;

#[test]
fn new_and_delete_are_malloc_and_free() {
    let mut bench = Bench::one(&format!(
        r#"{CLASSES}
extern "C" __global__ void k(int *o) {{
  Shape *s = new Square(threadIdx.x + 1);
  int *a = new int[o[0] + 8];
  for (int i = 0; i < 8; ++i) a[i] = s->twice(i);
  o[1 + threadIdx.x] = a[0] + a[7];
  delete[] a;
  delete s;
}}
extern "C" __global__ void foreign(int *o) {{ delete o; }}"#
    ));
    let o = bench.buffer("o", &[0; 5]);
    bench.run("k", 1, 4, Params::new().ptr(o)).unwrap();
    assert_eq!(bench.words(o, 5), [0, 18, 30, 50, 78]);
    let error = bench.run("foreign", 1, 1, Params::new().ptr(o)).unwrap_err().to_string();
    assert!(error.contains("which malloc did not return"), "{error}");
}

#[test]
fn a_pure_virtual_function_traps() {
    let mut bench = Bench::one(&format!(
        r#"{CLASSES}
struct Early : Shape {{ __device__ Early(int *o) {{ o[0] = twice(1); }} __device__ int area(int x) const override {{ return x; }} }};
struct Base {{ __device__ Base(int *o) {{ call(o); }} __device__ __noinline__ void call(int *o) {{ o[0] = f(); }} __device__ virtual int f() = 0; }};
struct Derived : Base {{ __device__ Derived(int *o) : Base(o) {{}} __device__ int f() override {{ return 3; }} }};
extern "C" __global__ void k(int *o) {{ Derived d(o); Square s(2); o[1] = s.twice(1); }}"#
    ));
    let o = bench.buffer("o", &[0; 2]);
    let error = bench.run("k", 1, 1, Params::new().ptr(o)).unwrap_err().to_string();
    assert!(error.ends_with("trap"), "{error}");
}

#[test]
fn faults_name_kernels_as_the_source_does() {
    let mut bench = Bench::one(
        "namespace ns { template <class T> __global__ void store(T *o) { *o = 1; } }\ntemplate __global__ void ns::store<int>(int *);",
    );
    let error = bench.run("_ZN2ns5storeIiEEvPT_", 1, 1, Params::new().ptr(8)).unwrap_err().to_string();
    assert!(error.contains("PE 0, kernel store, block (0, 0, 0)"), "{error}");
}

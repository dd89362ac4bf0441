//! Where addresses come from, one shape after the other, and what follows for classes.

use gicc::analysis::annotation::Assume;
use gicc::analysis::communication::{Barrier, Class, Evidence, Remote, Who};

use super::support::{LOAD_FLAG, STORE_FLAG, classes, kernel, kernel_with, module, of, try_examine};

/// A store of data and a flag through a table.
fn through(table: &str, before: &str, parameters: &str) -> String {
    let body = format!(
        "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %tid to i64\n{table}\n  \
         store float 1.0, ptr %data\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  \
         %first = icmp eq i32 %tid, 0\n  br i1 %first, label %one, label %end\none:\n  \
         call void {STORE_FLAG}(ptr %flag, i32 1)\n  br label %end\nend:\n  ret void"
    );
    module(before, parameters, &body)
}

fn sends(text: &str) {
    let kernel = kernel(text);
    assert_eq!(classes(&kernel), [Class::RemoteStore, Class::Barrier, Class::Signal], "{text}");
    assert_eq!(kernel.sites[2].guard.who, Who::OneOfBlock);
    assert_eq!(kernel.sites[0].guard.who, Who::Everyone);
    assert!(kernel.barrier_between(kernel.sites[0].id, kernel.sites[2].id));
}

#[test]
fn a_by_value_structure_of_tables() {
    sends(&through(
        "  %p = getelementptr inbounds %s, ptr %params, i64 0, i32 0, i64 %i\n  %data = load ptr, ptr %p\n  \
         %q = getelementptr inbounds %s, ptr %params, i64 0, i32 1, i64 %i\n  %flag = load ptr, ptr %q",
        "%s = type { [8 x ptr], [8 x ptr] }",
        "ptr byval(%s) %params",
    ));
}

#[test]
fn tables_in_device_memory() {
    sends(&through(
        "  %p = getelementptr ptr, ptr %buffers, i64 %i\n  %data = load ptr, ptr %p\n  \
         %q = getelementptr ptr, ptr %flags, i64 %i\n  %flag = load ptr, ptr %q",
        "",
        "ptr %buffers, ptr %flags",
    ));
}

#[test]
fn a_constant_table_and_integer_arithmetic() {
    sends(&through(
        "  %p = getelementptr [16 x i64], ptr addrspacecast (ptr addrspace(4) @peers to ptr), i64 0, i64 %i\n  \
         %base = load i64, ptr %p\n  %own = ptrtoint ptr %heap to i64\n  %at = ptrtoint ptr %buffer to i64\n  \
         %distance = sub i64 %at, %own\n  %sum = add i64 %base, %distance\n  %data = inttoptr i64 %sum to ptr\n  \
         %far = add i64 %sum, 4096\n  %flag = inttoptr i64 %far to ptr",
        "@peers = external addrspace(4) global [16 x i64]",
        "ptr %heap, ptr %buffer",
    ));
}

#[test]
fn a_table_through_shared_memory() {
    sends(&through(
        "  %from = getelementptr i64, ptr %table, i64 %i\n  %word = load i64, ptr %from\n  \
         %to = getelementptr [16 x i64], ptr addrspacecast (ptr addrspace(3) @copy to ptr), i64 0, i64 %i\n  \
         store i64 %word, ptr %to\n  \
         %d = load ptr, ptr getelementptr (i8, ptr addrspacecast (ptr addrspace(3) @copy to ptr), i64 8)\n  \
         %data = getelementptr float, ptr %d, i64 %i\n  %flag = getelementptr i8, ptr %d, i64 65536",
        "@copy = internal addrspace(3) global [16 x i64] undef",
        "ptr %table",
    ));
}

#[test]
fn a_table_through_a_local_array() {
    sends(&through(
        "  %array = alloca [8 x ptr]\n  call void @llvm.memcpy.p0.p0.i64(ptr %array, ptr %params, i64 64, i1 false)\n  \
         %p = getelementptr [8 x ptr], ptr %array, i64 0, i64 %i\n  %data = load ptr, ptr %p\n  \
         %flag = getelementptr i8, ptr %data, i64 65536",
        "",
        "ptr %params",
    ));
}

#[test]
fn pointers_through_a_function_that_is_not_to_be_inlined() {
    let text = through(
        "  %p = getelementptr ptr, ptr %table, i64 %i\n  %data = call ptr @pick(ptr %p)\n  \
         %flag = getelementptr i8, ptr %data, i64 64",
        "define internal ptr @pick(ptr %p) noinline { %v = load ptr, ptr %p ret ptr %v }",
        "ptr %table",
    )
    .replace("{ %v = load ptr, ptr %p ret ptr %v }", "{\n  %v = load ptr, ptr %p\n  ret ptr %v\n}");
    sends(&text);
}

#[test]
fn remote_on_one_path_is_remote_and_says_so() {
    let body = format!(
        "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %tid to i64\n  \
         %p = getelementptr ptr, ptr %table, i64 %i\n  %peer = load ptr, ptr %p\n  \
         call void {STORE_FLAG}(ptr %peer, i32 1)\n  %c = icmp slt i32 %n, 3\n  \
         %data = select i1 %c, ptr %peer, ptr %own\n  %d = getelementptr i8, ptr %data, i64 128\n  \
         store i32 5, ptr %d\n  ret void"
    );
    let kernel = kernel(&module("", "ptr %table, ptr %own, i32 %n", &body));
    let stores = of(&kernel, Class::RemoteStore);
    let address = stores[0].address.as_ref().unwrap();
    assert!(address.by_path);
    assert_eq!(address.objects.len(), 2);
    assert_eq!(kernel.object(address.objects[0]).unwrap().remote, Remote::Yes);
    assert_eq!(kernel.object(address.objects[1]).unwrap().remote, Remote::No);
}

/// A table whose element of the own rank is written, and then pulled from the others.
#[test]
fn the_own_element_of_a_table_is_exported() {
    let body = format!(
        "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %tid to i64\n  %r = zext i32 %rank to i64\n  \
         %o = getelementptr ptr, ptr %table, i64 %r\n  %own = load ptr, ptr %o\n  \
         %slot = getelementptr i32, ptr %own, i64 %i\n  store i32 %tid, ptr %slot\n  \
         call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  \
         %f = getelementptr ptr, ptr %flags, i64 %i\n  %flag = load ptr, ptr %f\n  \
         call void {STORE_FLAG}(ptr %flag, i32 1)\n  br label %wait\nwait:\n  \
         %seen = call i32 {LOAD_FLAG}(ptr %mine)\n  %more = icmp ult i32 %seen, 3\n  \
         br i1 %more, label %wait, label %next\nnext:\n  call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  \
         %q = getelementptr ptr, ptr %table, i64 %i\n  %peer = load ptr, ptr %q\n  %v = load i32, ptr %peer\n  \
         %out = getelementptr i32, ptr %result, i64 %i\n  store i32 %v, ptr %out\n  ret void"
    );
    let parameters = "ptr %table, ptr %flags, ptr %mine, ptr %result, i32 %rank";
    let kernel = kernel(&module("", parameters, &body));
    assert_eq!(
        classes(&kernel),
        [
            Class::ExportedStore,
            Class::Barrier,
            Class::Signal,
            Class::PollLocal,
            Class::Barrier,
            Class::RemoteLoad,
            Class::LocalOutput
        ]
    );
    let poll = kernel.sites[3].poll.as_ref().unwrap();
    assert!(!poll.bounded);
    assert_eq!(poll.compares.as_ref().unwrap().predicate, "uge");
}

#[test]
fn a_kernel_of_one_gpu_has_no_sites() {
    let body = "  %v = load ptr, ptr %table\n  store i32 1, ptr %v\n  \
                call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)\n  ret void";
    let kernel = kernel(&module("", "ptr %table", body));
    assert!(!kernel.communicates);
    assert_eq!(classes(&kernel), []);
}

#[test]
fn annotations_decide_where_nothing_else_does() {
    let body = "  store i32 1, ptr %data\n  call void @llvm.nvvm.membar.sys()\n  store i32 1, ptr %flag\n  ret void";
    let text = module("", "ptr %data, ptr %flag", body);
    let side_file = "[[annotation]]\nfunction = \"k\"\nparameter = \"data\"\nis = [\"gicc.remote\", \"gicc.domain:halo\"]\n\
                     [[annotation]]\nfunction = \"*\"\nparameter = 1\nis = [\"gicc.remote\", \"gicc.signal\"]\n\
                     [[annotation]]\nfunction = \"k\"\nis = [\"gicc.rendezvous\"]\n";
    let kernel = kernel_with(&text, Assume::Annotated, Some(side_file));
    assert_eq!(classes(&kernel), [Class::RemoteStore, Class::Fence, Class::Signal]);
    assert!(kernel.rendezvous);
    let object = kernel.object(kernel.sites[0].address.as_ref().unwrap().objects[0]).unwrap();
    assert_eq!(object.domains, ["halo"]);
    assert_eq!(object.why[0].evidence, Evidence::Annotation);
}

#[test]
fn a_side_file_that_names_nothing_is_refused_at_its_line() {
    let text = module("", "ptr %data", "  ret void");
    let refused = |side: &str| {
        let errors = try_examine(&text, Assume::Evidence, Some(side)).unwrap_err();
        assert_eq!(errors[0].code, "E0107");
        (errors[0].message.clone(), errors[0].span.as_ref().map_or(0, |s| s.line))
    };
    let (message, line) = refused("# first\n[[annotation]]\nfunction = \"other\"\nis = [\"gicc.remote\"]\n");
    assert_eq!((message.as_str(), line), ("there is no kernel `other`", 2));
    let (message, _) = refused("[[annotation]]\nfunction = \"k\"\nparameter = \"x\"\nis = [\"gicc.remote\"]\n");
    assert_eq!(message, "no kernel `k` has a parameter `x`");
    let (message, _) = refused("[[annotation]]\nvariable = \"v\"\nis = [\"gicc.remote\"]\n");
    assert_eq!(message, "there is no variable `v`");
    let (message, _) = refused("[[annotation]]\nfunction = \"k\"\nis = [\"gicc.declares_domain:halo\"]\n");
    assert!(message.starts_with("`gicc.declares_domain:halo` is no annotation: there are"), "{message}");
    let (message, _) = refused("[[annotation]]\nfunction = \"k\"\nis = [\"gicc.remot\"]\n");
    assert!(message.starts_with("`gicc.remot` is no annotation"), "{message}");
    let (message, _) = refused("[[annotation]]\nis = [\"gicc.remote\"]\n");
    assert!(message.contains("either a `function` or a `variable`"), "{message}");
    let (message, _) = refused("[[annotation]\n");
    assert!(message.contains("does not parse"), "{message}");
}

#[test]
fn aggressive_takes_every_pointer_for_a_peers() {
    let text = module("", "ptr %data", "  store i32 1, ptr %data\n  ret void");
    assert_eq!(classes(&kernel_with(&text, Assume::Aggressive, None)), [Class::RemoteStore]);
    assert_eq!(classes(&kernel_with(&text, Assume::Annotated, None)), []);
}

#[test]
fn a_halo_is_stored_twice() {
    let body = "  %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %tid to i64\n  \
                %p = getelementptr float, ptr %in, i64 %i\n  %v = load float, ptr %p\n  %w = fadd float %v, 1.0\n  \
                %q = getelementptr float, ptr %own, i64 %i\n  store float %w, ptr %q\n  %edge = icmp eq i32 %n, %tid\n  \
                br i1 %edge, label %top, label %end\ntop:\n  %r = getelementptr float, ptr %peer, i64 %i\n  \
                store float %w, ptr %r\n  br label %end\nend:\n  ret void";
    let kernel = kernel(&module("", "ptr %in, ptr %own, ptr %peer, i32 %n", body));
    let stores = of(&kernel, Class::RemoteStore);
    assert_eq!(stores.len(), 1);
    assert_eq!(stores[0].address.as_ref().unwrap().remote, Remote::Maybe);
}

#[test]
fn named_barriers_are_told_apart_by_number_and_value() {
    let body = format!(
        "  call void asm sideeffect \"bar.sync $0, $1;\", \"r,r,~{{memory}}\"(i32 %id, i32 64)\n  \
         call void asm sideeffect \"bar.sync 0;\", \"~{{memory}}\"()\n  \
         call void asm sideeffect \"bar.arrive 3, 96;\", \"~{{memory}}\"()\n  \
         call void {STORE_FLAG}(ptr %f, i32 1)\n  ret void"
    );
    let kernel = kernel(&module("", "ptr %f, i32 %id", &body));
    let barriers: Vec<Barrier> = kernel.sites.iter().filter_map(|s| s.barrier()).collect();
    assert!(matches!(barriers[0], Barrier::Named { arrives_only: false, .. }), "{barriers:?}");
    assert_eq!(barriers[1], Barrier::Block);
    assert!(matches!(barriers[2], Barrier::Named { arrives_only: true, .. }), "{barriers:?}");
}

#[test]
fn a_poll_of_a_vector_is_a_packet_and_needs_an_assumption() {
    let body = "  %p = getelementptr ptr, ptr %table, i64 1\n  %peer = load ptr, ptr %p\n  \
                %tid = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  %i = zext i32 %tid to i64\n  \
                %q = getelementptr ptr, ptr %table, i64 %i\n  %other = load ptr, ptr %q\n  \
                call void asm sideeffect \"st.volatile.global.v4.u32 [$0], {$1,$2,$1,$2};\", \"l,r,r\"(ptr %other, i32 7, i32 1)\n  \
                br label %wait\nwait:\n  \
                %s = call { i32, i32, i32, i32 } asm sideeffect \"ld.volatile.global.v4.u32 {$0,$1,$2,$3}, [$4];\", \
                \"=r,=r,=r,=r,l\"(ptr %mine)\n  %f = extractvalue { i32, i32, i32, i32 } %s, 1\n  \
                %more = icmp ne i32 %f, 1\n  br i1 %more, label %wait, label %end\nend:\n  ret void";
    let kernel = kernel(&module("", "ptr %table, ptr %mine", body));
    assert_eq!(classes(&kernel), [Class::PacketStore, Class::PacketLoad]);
    let packet = kernel.sites[1].packet.as_ref().unwrap();
    assert_eq!((packet.bytes, packet.single_copy, packet.sentinel), (16, false, false));
    assert_eq!(kernel.assumptions.len(), 2);
}

#[test]
fn an_update_by_compare_and_swap_waits_for_nothing() {
    let body = format!(
        "  call void {STORE_FLAG}(ptr %f, i32 1)\n  br label %again\nagain:\n  \
         %old = phi i32 [ 0, %entry ], [ %seen, %again ]\n  %new = add i32 %old, 1\n  \
         %pair = cmpxchg ptr %counter, i32 %old, i32 %new syncscope(\"device\") monotonic monotonic\n  \
         %seen = extractvalue {{ i32, i1 }} %pair, 0\n  %done = extractvalue {{ i32, i1 }} %pair, 1\n  \
         br i1 %done, label %end, label %again\nend:\n  ret void"
    );
    let kernel = kernel(&module("", "ptr %f, ptr %counter", &body));
    assert!(kernel.sites.iter().all(|s| s.poll.is_none()), "{:?}", classes(&kernel));
}

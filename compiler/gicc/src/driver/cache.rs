//! A folder of what was compiled before and is the same in every program (`units`). It may be deleted at any time, and shared
//! by processes: an entry is written whole or not at all, and what is broken, or belongs to another key, counts as missing.
//!
//! An entry's key says everything that its content depends on. This gicc is told by its build: the identity that the linker
//! gave the program, and the files of LLVM's and MLIR's libraries. Where a program has none, nothing is kept.
//!
//! ```text
//! FOLDER/gicc-units/<build>/<hash of the key>      8 bytes hash of the rest, 8 bytes length of the key, the key, the content
//!                                                  (compressed: LZ4, behind its length)
//! ```

use std::ffi::{CStr, c_int, c_void};
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Folders of other builds go when nobody has written to them for so long.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// Whose name everything lies below, so that nothing else in a folder is touched.
const OWN: &str = "gicc-units";

/// So many builds are kept beside one that is new; of more, those that were written to last.
const BUILDS: usize = 3;

/// The libraries whose files tell builds apart: their names begin so.
const LIBRARIES: [&str; 2] = ["libLLVM", "libMLIR"];

/// The greatest entry that is read.
const GREATEST: u64 = 64 << 20;

/// The folder of one build.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cache {
    folder: PathBuf,
}

impl Cache {
    /// What the environment variable is called that names the folder; empty: keep nothing.
    pub const VARIABLE: &str = "GICC_CACHE_DIR";

    /// In a folder of this user's: that of [`Cache::VARIABLE`], else `gicc` in `XDG_CACHE_HOME`, else in `.cache` at home.
    /// Nothing where there is no such folder, or the variable is empty.
    pub fn of_user() -> Option<Cache> {
        if let Some(named) = std::env::var_os(Cache::VARIABLE) {
            return if named.is_empty() { None } else { Cache::in_folder(Path::new(&named)) };
        }
        let absolute = |name: &str| std::env::var_os(name).map(PathBuf::from).filter(|p| p.is_absolute());
        let parent = absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))?;
        Cache::in_folder(&parent.join("gicc"))
    }

    /// In this folder, which is made when something is kept. Nothing where this program has no identity.
    pub fn in_folder(folder: &Path) -> Option<Cache> {
        Some(Cache { folder: folder.join(OWN).join(build()?) })
    }

    /// The folder of this build.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// How many entries this build has, and their bytes.
    pub fn size(&self) -> (usize, u64) {
        let files = self.folder.read_dir().into_iter().flatten().filter_map(Result::ok);
        let entries = files.filter(|f| f.file_name().to_str().is_some_and(|name| is_hexadecimal(name, 16)));
        entries.filter_map(|f| f.metadata().ok()).fold((0, 0), |(count, bytes), about| (count + 1, bytes + about.len()))
    }

    /// Removes what all builds have kept.
    ///
    /// # Errors
    /// Where a folder can't be removed.
    pub fn clear(&self) -> std::io::Result<()> {
        self.builds().try_for_each(fs::remove_dir_all)
    }

    /// The folders of all builds: what beside this one's is named as this module names it.
    fn builds(&self) -> impl Iterator<Item = PathBuf> {
        let beside = self.folder.parent().and_then(|parent| parent.read_dir().ok()).into_iter().flatten();
        let folders = beside.filter_map(Result::ok).filter(|f| f.file_type().is_ok_and(|t| t.is_dir()));
        folders.filter(|f| f.file_name().to_str().is_some_and(|name| is_hexadecimal(name, 32))).map(|f| f.path())
    }

    /// What is kept for a key.
    pub(crate) fn load(&self, key: &str) -> Option<Vec<u8>> {
        let path = self.path(key);
        let about = fs::metadata(&path).ok()?;
        if !about.is_file() || about.len() > GREATEST {
            return None;
        }
        let bytes = fs::read(path).ok()?;
        let content = content(&bytes, key);
        if content.is_none() {
            tracing::warn!(key, "an entry of the cache is broken, and is made again");
        }
        content
    }

    /// Keeps what belongs to a key. That it cannot is no error of the compilation.
    pub(crate) fn store(&self, key: &str, content: &[u8]) {
        if let Err(why) = self.try_store(key, content) {
            tracing::warn!(folder = %self.folder.display(), %why, "nothing is kept in the cache");
        }
    }

    /// Keeps what belongs to a key.
    ///
    /// # Errors
    /// Where the folder can't be made or written to.
    pub(crate) fn try_store(&self, key: &str, content: &[u8]) -> std::io::Result<()> {
        if !self.folder.is_dir() {
            fs::create_dir_all(&self.folder)?;
            self.forget_other_builds();
        }
        let mut rest = (key.len() as u64).to_le_bytes().to_vec();
        rest.extend(key.as_bytes());
        rest.extend(lz4_flex::compress_prepend_size(content));
        self.write(key, &rest).or_else(|why| {
            // Somebody may have removed the folder meanwhile.
            if why.kind() != std::io::ErrorKind::NotFound {
                return Err(why);
            }
            fs::create_dir_all(&self.folder)?;
            self.write(key, &rest)
        })
    }

    fn write(&self, key: &str, rest: &[u8]) -> std::io::Result<()> {
        let mut file = tempfile::Builder::new().prefix(".new-").tempfile_in(&self.folder)?;
        file.write_all(&hash(rest).to_le_bytes())?;
        file.write_all(rest)?;
        file.persist(self.path(key)).map_err(|e| e.error)?;
        Ok(())
    }

    fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{:016x}", hash(key.as_bytes())))
    }

    /// Removes folders of other builds that are old, and all but a few that are not.
    fn forget_other_builds(&self) {
        let now = SystemTime::now();
        let written = |folder: &PathBuf| folder.metadata().and_then(|m| m.modified()).ok();
        let mut others: Vec<(SystemTime, PathBuf)> =
            self.builds().filter(|f| *f != self.folder).filter_map(|f| Some((written(&f)?, f))).collect();
        others.sort_by_key(|(at, _)| std::cmp::Reverse(*at));
        let is_old = |at: SystemTime| now.duration_since(at).is_ok_and(|age| age > KEPT);
        for (n, (at, other)) in others.into_iter().enumerate() {
            if n >= BUILDS || is_old(at) {
                let _ = fs::remove_dir_all(other);
            }
        }
    }
}

/// The content of an entry that is whole and belongs to the key.
fn content(bytes: &[u8], key: &str) -> Option<Vec<u8>> {
    let (found, rest) = bytes.split_first_chunk::<8>()?;
    let (length, text) = rest.split_first_chunk::<8>()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).ok()?;
    let (written, compressed) = text.split_at_checked(length)?;
    if u64::from_le_bytes(*found) != hash(rest) || written != key.as_bytes() {
        return None;
    }
    let (size, compressed) = lz4_flex::block::uncompressed_size(compressed).ok()?;
    if size as u64 > GREATEST { None } else { lz4_flex::decompress(compressed, size).ok() }
}

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

/// The name of this build: 32 digits. It does not depend on how the program was started, nor on where.
fn build() -> Option<String> {
    let program = buildid::build_id()?;
    let (loaded, mut states) = (loaded(), Vec::new());
    for library in LIBRARIES {
        let is_named_so = |file: &Path| file.file_name().is_some_and(|n| n.to_string_lossy().starts_with(library));
        let files = loaded.iter().filter(|file| is_named_so(file)).map(|file| state_of(file));
        let mut files: Vec<String> = files.collect::<Option<_>>()?;
        files.sort();
        if files.is_empty() {
            return None;
        }
        states.extend(files);
    }
    Some(format!("{:016x}{:016x}", hash(program), hash(states.join(" ").as_bytes())))
}

fn is_hexadecimal(name: &str, digits: usize) -> bool {
    name.len() == digits && name.bytes().all(|b| b.is_ascii_hexdigit())
}

/// What tells a file from what it is after a change.
fn state_of(file: &Path) -> Option<String> {
    let file = file.canonicalize().ok()?;
    let about = file.metadata().ok()?;
    let written = about.modified().ok()?.duration_since(SystemTime::UNIX_EPOCH).ok()?;
    Some(format!("{} {} {}", file.display(), about.len(), written.as_nanos()))
}

/// The files of the libraries that are loaded in this process.
fn loaded() -> Vec<PathBuf> {
    use std::os::unix::ffi::OsStrExt as _;
    unsafe extern "C" fn one(info: *mut libc::dl_phdr_info, _: usize, files: *mut c_void) -> c_int {
        // SAFETY: the loader's description of a file is valid during the call, and `files` is the vector below.
        let (name, files) = unsafe { ((*info).dlpi_name, &mut *files.cast::<Vec<PathBuf>>()) };
        if !name.is_null() {
            // SAFETY: the loader's names end with a zero byte.
            let name = unsafe { CStr::from_ptr(name) };
            files.push(PathBuf::from(std::ffi::OsStr::from_bytes(name.to_bytes())));
        }
        0
    }
    let mut files: Vec<PathBuf> = Vec::new();
    // SAFETY: the function is called with the vector, which outlives the call, and does not unwind.
    unsafe { libc::dl_iterate_phdr(Some(one), (&raw mut files).cast()) };
    files
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cache() -> (tempfile::TempDir, Cache) {
        let folder = tempfile::tempdir().unwrap();
        let cache = Cache::in_folder(folder.path()).expect("a test has an identity");
        (folder, cache)
    }

    #[test]
    fn what_was_kept_comes_back() {
        let (folder, cache) = cache();
        assert_eq!(cache.load("a"), None);
        cache.store("a", b"first");
        cache.store("b", b"");
        cache.store("a", b"second");
        assert_eq!(cache.load("a").as_deref(), Some(&b"second"[..]));
        assert_eq!(cache.load("b").as_deref(), Some(&b""[..]));
        assert_eq!(cache.load("c"), None);
        let files: Vec<_> = cache.folder().read_dir().unwrap().collect();
        assert_eq!((files.len(), folder.path().read_dir().unwrap().count()), (2, 1));
    }

    #[test]
    fn what_is_broken_counts_as_missing() {
        let (_folder, cache) = cache();
        cache.store("key", b"some content");
        let path = cache.path("key");
        let whole = fs::read(&path).unwrap();
        for length in 0..whole.len() {
            fs::write(&path, &whole[..length]).unwrap();
            assert_eq!(cache.load("key"), None, "cut at {length}");
        }
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            fs::write(&path, &bytes).unwrap();
            assert_eq!(cache.load("key"), None, "changed at {at}");
        }
        cache.store("key", b"again");
        assert_eq!(cache.load("key").as_deref(), Some(&b"again"[..]));
    }

    #[test]
    fn what_is_no_file_counts_as_missing() {
        let (_folder, cache) = cache();
        cache.store("key", b"content");
        fs::remove_file(cache.path("key")).unwrap();
        let path = std::ffi::CString::new(cache.path("key").to_str().unwrap()).unwrap();
        // SAFETY: the path is a string that ends.
        assert_eq!(unsafe { libc::mkfifo(path.as_ptr(), 0o600) }, 0);
        assert_eq!(cache.load("key"), None);
    }

    #[test]
    fn an_entry_of_another_key_is_not_taken() {
        let (_folder, cache) = cache();
        cache.store("one", b"content");
        fs::copy(cache.path("one"), cache.path("two")).unwrap();
        assert_eq!(cache.load("two"), None);
    }

    #[test]
    fn a_folder_that_cannot_be_written_keeps_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        fs::write(&file, "mine").unwrap();
        let cache = Cache::in_folder(&file).unwrap();
        cache.store("a", b"content");
        assert_eq!(cache.load("a"), None);
        assert_eq!(fs::read_to_string(&file).unwrap(), "mine");
    }

    #[test]
    fn what_would_be_too_much_when_it_is_whole_counts_as_missing() {
        let (_folder, cache) = cache();
        // Much of the same: a small file. Then one that says it were more than is read.
        let content = vec![7; 1 << 20];
        cache.store("key", &content);
        assert_eq!(cache.load("key").as_deref(), Some(&content[..]));
        assert!(fs::metadata(cache.path("key")).unwrap().len() < 1 << 14);
        let mut rest = 3u64.to_le_bytes().to_vec();
        rest.extend(b"key");
        rest.extend(u32::MAX.to_le_bytes());
        rest.extend([0; 100]);
        let file = [hash(&rest).to_le_bytes().to_vec(), rest].concat();
        fs::write(cache.path("key"), file).unwrap();
        assert_eq!(cache.load("key"), None);
    }

    #[test]
    fn few_builds_are_kept() {
        let (folder, cache) = cache();
        let at = |n: usize| folder.path().join(OWN).join(format!("{n:032x}"));
        let now = SystemTime::now();
        for n in 0..BUILDS + 3 {
            fs::create_dir_all(at(n)).unwrap();
            fs::File::open(at(n)).unwrap().set_modified(now - Duration::from_secs(60 * n as u64)).unwrap();
        }
        cache.store("a", b"content");
        let left: Vec<usize> = (0..BUILDS + 3).filter(|n| at(*n).exists()).collect();
        assert_eq!(left, (0..BUILDS).collect::<Vec<_>>());
        assert_eq!(cache.size().0, 1);
    }

    #[test]
    fn old_builds_go_and_nothing_else() {
        let (folder, cache) = cache();
        let at = |name: &str| folder.path().join(OWN).join(name);
        fs::create_dir(folder.path().join(OWN)).unwrap();
        let long_ago = SystemTime::now() - 2 * KEPT;
        let (old, recent, other) = ("0".repeat(32), "1".repeat(32), "notes");
        for name in [&old, &recent, other] {
            fs::create_dir(at(name)).unwrap();
            fs::write(at(name).join("file"), "content").unwrap();
        }
        // Named as a folder of a build would be: one beside gicc's own, and a file.
        let beside = folder.path().join(&old);
        fs::create_dir(&beside).unwrap();
        let file = at(&"2".repeat(32));
        fs::write(&file, "content").unwrap();
        fs::File::open(&beside).unwrap().set_modified(long_ago).unwrap();
        for name in [&old, other] {
            fs::File::open(at(name)).unwrap().set_modified(long_ago).unwrap();
        }
        cache.store("a", b"content");
        assert!(!at(&old).exists() && at(&recent).exists() && at(other).exists());
        assert_eq!(cache.size().0, 1);
        cache.clear().unwrap();
        assert!(!at(&recent).exists() && at(other).exists() && beside.exists() && file.exists());
        assert_eq!((cache.size(), cache.load("a")), ((0, 0), None));
    }
}

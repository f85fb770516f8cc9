import Foundation

/// Folders into which programs of others have written: removed without following a link.
enum FileTree {
  /// Removes a folder with all that is in it; a link goes, and what it leads to stays.
  ///
  /// Names are looked up in open folders, and folders are taken out of each other first. So a
  /// folder may be deeper than a path can be long, and its owner may have taken away their own
  /// rights to it. What cannot be removed stays, and nothing is said.
  static func remove(_ path: String) {
    if unlink(path) == 0 { return }
    if let top = open(AT_FDCWD, path) {
      var (moved, last) = (0, [String]())
      // Each round removes what is in the folders of the top, and lifts their folders to the top.
      while case let folders = emptied(top, { _ in false }), folders != last {
        last = folders
        for name in folders {
          if let folder = open(top, name) {
            _ = emptied(folder) { child in
              moved += 1
              return renameat(folder, child, top, "-\(getpid())-\(moved)") == 0
            }
            close(folder)
          }
          unlinkat(top, name, AT_REMOVEDIR)
        }
      }
      close(top)
    }
    rmdir(path)
  }

  /// Removes the files of an open folder; its folders, without those that `lift` has taken away.
  private static func emptied(_ folder: Int32, _ lift: (String) -> Bool) -> [String] {
    fchmod(folder, 0o700)
    return ProcessTable.names(in: dup(folder)).filter { name in
      unlinkat(folder, name, 0) != 0 && !lift(name)
    }
  }

  private static func open(_ folder: Int32, _ name: String) -> Int32? {
    let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
    var file = openat(folder, name, flags)
    if file < 0, errno == EACCES, fchmodat(folder, name, 0o700, 0) == 0 {
      file = openat(folder, name, flags)
    }
    return file < 0 ? nil : file
  }
}

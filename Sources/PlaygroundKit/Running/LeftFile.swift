import Foundation

/// A file that a program of others may have left, or put in the place of one of ours.
///
/// It may be a link to any other file, a pipe that never ends, or longer than the memory: none of
/// these is followed, waited for, or read to its end.
enum LeftFile {
  /// The beginning of the file, or its end; nil if there is no such file, or it is something else.
  static func data(of path: String, bytesMax: Int, fromEnd: Bool = false) -> Data? {
    let file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
    guard file >= 0 else { return nil }
    let handle = FileHandle(fileDescriptor: file, closeOnDealloc: true)
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
    if fromEnd, status.st_size > bytesMax { lseek(file, -off_t(bytesMax), SEEK_END) }
    return try? handle.read(upToCount: bytesMax) ?? Data()
  }

  /// Whether a path leads to a file itself, or to nothing.
  static func isRegular(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG
  }
}

import Foundation

/// What is at a path that a person gave, which is looked at before it is read: to read a pipe would
/// be to wait for its writer.
package enum GivenFile {
  /// What a path leads to.
  package enum Kind: Equatable {
    case file, folder
    /// Neither, in words: "a pipe".
    case other(String)
  }

  /// Why a file is not read, in the words that follow its path.
  package struct Refusal: Error, Equatable {
    /// "is a pipe, not a file".
    package let words: String
    /// What to do: "rename or move it".
    package var advice = "rename or move it"
    /// Whether it has more bytes than may be read.
    package var isTooLarge = false
  }

  /// What is at a path; nil if nothing is.
  package static func kind(of path: String) throws(Refusal) -> Kind? {
    var information = stat()
    guard stat(path, &information) == 0 else {
      let code = errno
      switch code {
      case ENOENT:
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else {
          return nil
        }
        throw Refusal(words: "is a link to \(target), which is not there")
      case ENOTDIR: return nil
      case ELOOP: throw Refusal(words: "is a link that leads back to itself")
      case ENAMETOOLONG:
        throw Refusal(words: "has a name that is too long", advice: "choose a shorter one")
      default: throw unreadable(code)
      }
    }
    switch information.st_mode & S_IFMT {
    case S_IFREG: return .file
    case S_IFDIR: return .folder
    case S_IFIFO: return .other("a pipe")
    case S_IFSOCK: return .other("a socket")
    default: return .other("a device")
    }
  }

  /// The bytes of a file; nil if there is none.
  ///
  /// - Parameters:
  ///   - bytesMax: the most bytes that are read.
  ///   - isStreamRead: whether a pipe or a device is read to its end.
  package static func data(
    at path: String, bytesMax: Int, isStreamRead: Bool = false
  ) throws(Refusal) -> Data? {
    switch try kind(of: path) {
    case nil: return nil
    case .file: break
    case .folder: throw Refusal(words: "is a folder, not a file")
    case .other(let what): if !isStreamRead { throw Refusal(words: "is \(what), not a file") }
    }
    // What was put in the file's place since then does not make us wait.
    let file = open(path, O_RDONLY | O_CLOEXEC | (isStreamRead ? 0 : O_NONBLOCK))
    guard file >= 0 else { throw unreadable(errno) }
    defer { close(file) }
    var data = Data()
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = read(file, &buffer, buffer.count)
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else { throw unreadable(errno) }
      if count == 0 { return data }
      data.append(contentsOf: buffer[..<count])
      if data.count > bytesMax { throw tooLarge(file, bytesMax) }
    }
  }

  private static func tooLarge(_ file: Int32, _ bytesMax: Int) -> Refusal {
    var information = stat()
    let size = fstat(file, &information) == 0 ? Int(information.st_size) : 0
    let most = "\(bytesMax >> 20) MB"
    return Refusal(
      words: size > bytesMax
        ? "has \(size >> 20) MB, and at most \(most) are read" : "has more than \(most)",
      advice: "make it smaller", isTooLarge: true)
  }

  /// The words for an error of the system: "cannot be read (permission denied)".
  private static func unreadable(_ code: Int32) -> Refusal {
    Refusal(
      words: "cannot be read (\(String(cString: strerror(code)).lowercased()))",
      advice: "check its permissions")
  }
}

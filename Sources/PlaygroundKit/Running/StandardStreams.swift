import Faultline
import Foundation

/// Standard input, output and error, which a shell may have closed.
public enum StandardStreams {
  /// Fills the place of each closed stream, so that no file of ours gets its number.
  ///
  /// Reading from such a stream and writing to it fail as they do on a closed one.
  public static func fillClosed() {
    for number in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(number, F_GETFD) < 0 {
      // The lowest free number is taken, which is this one.
      _ = open("/dev/null", number == STDIN_FILENO ? O_WRONLY : O_RDONLY)
    }
  }

  /// Writes to standard error, which may be closed or full.
  public static func complain(_ text: String) { StandardError.put(text) }
}

// Who imports Core Data on Apple's systems gets Foundation with it, and real code relies on that.
@_exported import Foundation

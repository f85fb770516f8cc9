// As Apple's Core Data does: whoever imports it has Foundation too.
@_exported import Foundation

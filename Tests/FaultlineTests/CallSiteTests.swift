import Testing

@testable import Faultline

@Suite struct CallSiteTests {
  @Test("A frame is the engine's whether its path is whole or begins at the top of the package")
  func pathsOfTheEngine() {
    let here = #filePath
    let package = here.replacing("Tests/FaultlineTests/CallSiteTests.swift", with: "")
    for path in ["Context/NSManagedObject.swift", "ConcurrencyDebug/ConcurrencyDebug.swift"] {
      #expect(CallSite.isEngine("\(package)Sources/Faultline/\(path)"))
      #expect(CallSite.isEngine("Sources/Faultline/\(path)"))
    }
    for path in [
      here, "Scenarios/01/Reading.swift", "/home/a/App/Sources/Faultline/Main.swift",
      "Sources/FaultlineCLI/Main.swift", "Sources/App/Main.swift",
    ] {
      #expect(!CallSite.isEngine(path), "\(path)")
    }
  }

  @Test("The report says once that a thread is a thread")
  func theThreadOfAReport() {
    let violation = Violation(
      operation: "get name", object: "none", context: "c", ownerQueue: "the main queue",
      callerQueue: "no context's queue", callerThread: "thread 7f", location: "a.swift:1", fix: "f")
    #expect(violation.report.contains("called   from no context's queue, on thread 7f\n"))
  }
}

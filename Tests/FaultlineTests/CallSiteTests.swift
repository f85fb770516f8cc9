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

  @Test("A function is the engine's only if its name excludes the caller's code")
  func functionsOfTheEngine() {
    for name in [
      "$s9Faultline15NSManagedObjectC4textySSSgSiF", "$s9Faultline8CallSiteO13outsideEngineSSyFZ",
      "$s9Faultline8CallSiteO8capturedSay7Runtime9BacktraceVGyFZ",
      "$sSS9FaultlineE5writeyySS_AA15NSManagedObjectCSitFZ",
      "$sSS9Faultline12ManagedValueA2aBP5writeyyx_AA15NSManagedObjectCSitFZTW",
      "$sSq9FaultlineAA12ManagedValueRzlE5writeyyxSg_AA15NSManagedObjectCSitFZ",
    ] {
      #expect(CallSite.isEngine(symbol: name), "\(name)")
    }
    for name in [
      "$s9Faultline22NSManagedObjectContextC9ScenariosE8articlesSayAD7ArticleCGyKF",
      "$s9Faultline22NSManagedObjectContextC0C3KitE4tidyyyF",
      "$s9Faultline22NSManagedObjectContextC14performAndWaityxxyKXEKlFyt_Tg5",
      "$s9Scenarios7ArticleC4nameSSSgvg", "$sSS3AppE4textSSyF",
      "$sSq3App9Faultline12ManagedValueRzlE4textSSyF", "main", "",
    ] {
      #expect(!CallSite.isEngine(symbol: name), "\(name)")
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

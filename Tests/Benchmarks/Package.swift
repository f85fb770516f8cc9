// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what the engine is compared with never becomes a dependency of it.
// Run: swift run -c release benchmarks
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [
    .package(name: "faultline", path: "../.."),
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
  ],
  targets: [
    .systemLibrary(
      name: "CSQLiteRaw", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CSQLiteRaw", .product(name: "Faultline", package: "faultline"),
        .product(name: "PlaygroundKit", package: "faultline"),
        .product(name: "GRDB", package: "GRDB.swift"),
      ],
      path: "Sources/Benchmarks"),
  ],
  swiftLanguageModes: [.v6]
)

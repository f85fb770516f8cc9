// swift-tools-version: 6.2
import PackageDescription

// A package of its own, so that what the engine is compared with never becomes a dependency of it.
// Run: swift run -c release benchmarks
let package = Package(
  name: "benchmarks",
  platforms: [.macOS(.v15)],
  dependencies: [.package(name: "faultline", path: "../..")],
  targets: [
    .systemLibrary(
      name: "CSQLiteRaw", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
    .executableTarget(
      name: "benchmarks",
      dependencies: [
        "CSQLiteRaw", .product(name: "Faultline", package: "faultline"),
        .product(name: "PlaygroundKit", package: "faultline"),
      ],
      path: "Sources/Benchmarks"),
  ],
  swiftLanguageModes: [.v6]
)

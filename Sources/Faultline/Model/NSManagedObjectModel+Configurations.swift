// The names are Core Data's own.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation

/// Configurations: named parts of a model, of which a store may hold one.
extension NSManagedObjectModel {
  /// The names of the configurations.
  public var configurations: [String] { configurationEntities.keys.sorted() }

  /// The entities of a configuration, those of the whole model for nil; nil if there is no such
  /// configuration.
  public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
    guard let configuration, configuration != Self.defaultConfiguration else { return entities }
    return configurationEntities[configuration]
  }

  /// Makes a configuration of some of the model's entities, or changes it.
  public func setEntities(
    _ entities: [NSEntityDescription], forConfigurationName configuration: String
  ) {
    refuseIfFrozen("the configuration \(configuration)")
    for entity in entities {
      guard entity.managedObjectModel === self else {
        ProgrammerError.stop(
          "NSInvalidArgumentException: entity \(entity.name ?? "?") is not in the model, so it "
            + "cannot be in the configuration \(configuration); add it to the model first.")
      }
    }
    configurationEntities[configuration] = entities
  }

  /// The name of the configuration that holds every entity.
  static var defaultConfiguration: String { "PF_DEFAULT_CONFIGURATION_NAME" }
}

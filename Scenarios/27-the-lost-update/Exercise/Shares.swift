import PlaygroundKit

/// How often each writer adds one.
///
/// Uneven shares give the first writer one increment and the last one those that the first lacks:
/// then one writer can be refused again and again.
func shares(of world: World) -> [Int] {
  let (writers, increments) = (world["writers"], world["increments"])
  var shares = Array(repeating: increments, count: writers)
  if world["uneven"] == 1 {
    shares[0] = 1
    shares[writers - 1] += increments - 1
  }
  return shares
}

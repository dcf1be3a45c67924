/** The lowest of several prices, in cents; null when there is none. */
export function cheapest(prices) {
  return prices.length === 0 ? null : Math.min(...prices);
}

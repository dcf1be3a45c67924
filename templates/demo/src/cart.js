/** A line of the cart: what it is, what one costs in cents, how many. */
export function line(name, cents, count = 1) {
  return { name, cents, count };
}

/** How many inputs a property is tried with: all of them in `npm run verify`, a tenth in `npm test`. */
export function runs(most: number): number {
  return Math.ceil(most * Number(process.env['PROPERTY_SHARE'] ?? 1));
}

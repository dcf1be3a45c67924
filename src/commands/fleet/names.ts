/** A stream as people call it (`2`, `PRD-2`, `shop`) → its name. */
export function streamNamed(text: string): string {
  return /^[1-9]\d{0,8}$/.test(text) ? `PRD-${text}` : text;
}

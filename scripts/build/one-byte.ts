/**
 * Code in which every character is Latin-1. Node keeps all source text as long as it runs, and V8 takes two bytes for
 * each character where a single one needs them. (Within `String.raw`, where regular expressions come from, the escape
 * becomes theirs.)
 */
export function oneByte(code: string): string {
  return code.replace(/[^\0-\xff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

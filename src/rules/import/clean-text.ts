/* biome-ignore-all lint/suspicious/noControlCharactersInRegex: controls are what this file is about */

/** Escape sequences of terminals: colours, titles of windows, links. */
const SEQUENCE = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]PX^_][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;
/** Controls but line breaks and tabs, and what reorders the text around it. */
const UNSAFE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g;

/** A text of somebody else's without what would only trick terminals and readers; lines and words stay. */
export function cleanText(text: string): string {
  return text.replace(SEQUENCE, '').replace(UNSAFE, '');
}

/** The same for every text in a value; names of fields stay as they are. */
export function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, cleanValue(each)]));
}

import { ConfigError } from '../../../contracts/errors.ts';

/**
 * What a word may be meant as, likeliest first. Pure.
 * @param word as a person typed it for the setting `key`
 * @param list the setting takes several texts: as JSON, one a line, or with commas
 * @throws ConfigError for what begins as JSON and is none: nobody means a text like that
 */
export function readings(word: string, key: string, list: boolean): readonly unknown[] {
  const trimmed = word.trim();
  if (trimmed === 'null') return [null];
  if (/^[[{"]/.test(trimmed)) return [jsonOf(trimmed, key, list)];
  const entries = list ? entriesOf(trimmed) : [trimmed];
  return [
    ...(/^-?\d+(\.\d+)?$/.test(trimmed) ? [Number(trimmed)] : []),
    ...(trimmed === 'true' || trimmed === 'false' ? [trimmed === 'true'] : []),
    ...(/^\$\d+(\.\d+)?$/.test(trimmed) ? [Number(trimmed.slice(1))] : []),
    ...(entries.length > 1 ? [entries] : []),
    trimmed,
    entries,
  ];
}

/** Commands have blanks and may have commas: these part only names, and commands where a blank follows each. */
function entriesOf(text: string): readonly string[] {
  const parted = (by: RegExp | string) =>
    text
      .split(by)
      .map((part) => part.trim())
      .filter((part) => part !== '');
  if (text.includes('\n')) return parted('\n');
  const names = parted(',');
  if (names.every((name) => !/\s/.test(name))) return names;
  return /["'`(){}[\]$\\]/.test(text) ? [text] : parted(/,\s+/);
}

function jsonOf(text: string, key: string, list: boolean): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const [value, kind] = list
      ? [JSON.stringify(['one', 'two']), 'a list is written']
      : text.startsWith('{')
        ? [JSON.stringify({ name: 'value' }), 'several values are written']
        : [JSON.stringify(text), 'a text that begins so is written'];
    throw new ConfigError({
      what: `'${key}' gets what begins as JSON and is none`,
      where: text,
      why: error instanceof Error ? error.message : String(error),
      mend: [`${kind} \`ralph config set ${key} '${value.replaceAll("'", "'\\''")}'\``],
    });
  }
}

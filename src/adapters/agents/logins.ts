/** What of the text of a login file is the login; null where there is none. */
type Login = (text: string) => string | null;
type Json = Readonly<Record<string, unknown>>;

/** An object with these members of it and no others; `a.b` is a member of a member. */
export function membersOf(...names: readonly string[]): Login {
  return (text) => {
    const all = objectIn(text);
    if (all === null) return null;
    const kept: Record<string, unknown> = {};
    for (const name of names) {
      const steps = name.split('.');
      const value = steps.reduce<unknown>((at, step) => (isObject(at) ? at[step] : undefined), all);
      if (value === undefined || value === null) continue;
      const wrapped = steps.slice(1).reduceRight<unknown>((inner, step) => ({ [step]: inner }), value);
      kept[steps[0] ?? ''] = wrapped;
    }
    return textOf(kept);
  };
}

/** An object of objects, without those that are not sound. */
export function entriesWhere(isSound: (entry: Json) => boolean): Login {
  return (text) => {
    const entries = Object.entries(objectIn(text) ?? {});
    return textOf(Object.fromEntries(entries.filter(([, entry]) => isObject(entry) && isSound(entry))));
  };
}

/** Something encrypted, or a key, as base64. */
export function sealed(text: string): string | null {
  return /^[\w+/=:.-]{16,65536}\s*$/.test(text) ? text : null;
}

function textOf(kept: Json): string | null {
  return Object.keys(kept).length === 0 ? null : `${JSON.stringify(kept, null, 2)}\n`;
}

function objectIn(text: string): Json | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

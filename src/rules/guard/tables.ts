export function namesIn(text: string): readonly string[] {
  return text === '' ? [] : text.split(/\s+/);
}

/** A table in which several names, separated by blanks, can share an entry. */
export function table<T>(rows: readonly (readonly [names: string, entry: T])[]): ReadonlyMap<string, T> {
  return new Map(rows.flatMap(([names, entry]) => namesIn(names).map((name) => [name, entry] as const)));
}

/** A function that computes its value once for each object, and drops it when the object is gone. */
export function oncePer<Subject extends object, Value>(work: (subject: Subject) => Value): (subject: Subject) => Value {
  const known = new WeakMap<Subject, { readonly value: Value }>();
  return (subject) => {
    const found = known.get(subject);
    if (found !== undefined) return found.value;
    const value = work(subject);
    known.set(subject, { value });
    return value;
  };
}

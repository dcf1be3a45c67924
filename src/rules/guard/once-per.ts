/** A function that works its value out once for each object that it is asked about, and forgets it with the object. */
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

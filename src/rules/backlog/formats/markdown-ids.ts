/** US-001, P1.1, T1, D2-fix, UI-AUTH-2, US-FINAL. */
export const ID = String.raw`(?:[A-Za-z][A-Za-z0-9]*[-_])*[A-Za-z]{1,12}[-_]?\d+[A-Za-z]?(?:[.-][A-Za-z0-9]+)*|[A-Z]{2,10}(?:-[A-Z0-9]+)+`;
/** Task 1.2, Story #3. */
export const WORD_ID = String.raw`(?:Task|Story|Step|Issue|Feature|Item|Phase|Milestone|Epic) #?\d+(?:\.\d+)*`;

const WHOLE = new RegExp(`^(?:${ID})$`);

/** Whether a word is written like an id, so that it is worth a complaint when no story has it. */
export function looksLikeId(word: string): boolean {
  return /\d/.test(word) && WHOLE.test(word);
}

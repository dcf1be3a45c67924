/** Puts a link to a line of the shown page into the address bar and the clipboard. @returns what was done, for people */
export async function linkTo(line: number): Promise<string> {
  const [page] = location.href.split('?line=');
  const address = `${page}?line=${line}`;
  history.replaceState(null, '', address);
  try {
    await navigator.clipboard.writeText(address);
    return `A link to line ${line} is copied.`;
  } catch {
    // Without a secure context, or without leave, there is no clipboard.
    return `The address bar has the link to line ${line}.`;
  }
}

const HEAD = '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">';

/** For people who come without token and cookie. Nothing in it comes from outside. */
export const ENTRY_NEEDED = `${HEAD}<title>ralph dashboard</title>
<h1>This dashboard needs its address</h1>
<p>Open the address that <code>ralph dashboard</code> prints in your terminal. It holds the token that lets you in.</p>
<p>After <code>ralph dashboard --new-token</code>, and in another browser, it is needed once more.</p>
`;

/**
 * For people who come from a page of another site (a terminal in the browser, a chat): browsers do not send a strict
 * cookie along with what such a page leads to, so they take the last step themselves.
 * @param token the right one; it has only characters that need no escaping
 */
export function entryLink(token: string): string {
  return `${HEAD}<title>ralph dashboard</title><h1>ralph dashboard</h1><p><a href="/#control=${token}">Open the dashboard</a></p>
`;
}

/** The client's own back-off stays below a minute; a longer wait was named by the provider. */
export const LONGEST_WAIT_MS = 60_000;

/**
 * A plugin for the client that says on standard output what its event stream leaves out: that a failed request is going
 * to be repeated, and when. The client keeps to any `retry-after`, hours long and in silence. Waiting is the loop's
 * business, so the plugin ends the client where the wait is longer than {@link LONGEST_WAIT_MS}.
 *
 * A text, since it runs inside the client.
 */
export function reporterSource(): string {
  return `export const ralph = async () => ({
  event: async ({ event }) => {
    const { sessionID, status } = event.type === 'session.status' ? event.properties : {};
    if (status?.type !== 'retry') return;
    const { attempt, message, next } = status;
    const waitMs = Math.max(0, next - Date.now());
    const line = JSON.stringify({ type: 'ralph.retry', sessionID, attempt, message, next, waitMs });
    process.stdout.write(line + '\\n', () => {
      if (waitMs > ${LONGEST_WAIT_MS}) process.exit(1);
    });
  },
});
`;
}

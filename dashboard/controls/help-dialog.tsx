import { signal } from '@preact/signals';
import { keysNow } from '../state/keys.ts';
import { Dialog } from './dialog.tsx';

/** Whether the list of keys is shown. */
export const helpOpen = signal(false);

/** What can be pressed on the page as it is. */
export function HelpDialog() {
  if (!helpOpen.value) return null;
  const close = () => {
    helpOpen.value = false;
  };
  return (
    <Dialog title="Keys" onClose={close}>
      <dl class="keys">
        {[...keysNow(), { keys: 'Escape', text: 'close what is open' }].map(({ keys, text }) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  );
}

import { useState } from 'preact/hooks';
import { announce } from '../state/announce.ts';
import { said } from '../text.ts';
import { Icon } from './icon.tsx';

const SHOWN_MS = 1500;

/** A command for a terminal, with a button that copies it. */
export function CopyLine({ text }: { readonly text: string }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(said(text));
    announce('Copied');
    setCopied(true);
    setTimeout(() => setCopied(false), SHOWN_MS);
  };
  return (
    <p class="copy-line">
      <code>{said(text)}</code>
      {/* Browsers give a clipboard to loopback and https only. */}
      {isSecureContext && (
        <button type="button" class="button quiet square" aria-label="Copy" onClick={copy}>
          <Icon name={copied ? 'check' : 'copy'} />
        </button>
      )}
    </p>
  );
}

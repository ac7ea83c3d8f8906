import { Link } from '@tanstack/react-router';
import { useText } from '../i18n/language.tsx';
import { forgetKept, mayGoOn, useKeptChanges } from '../session/kept-changes.ts';
import { activeKey } from '../session/keyring.ts';
import { useKeyring } from '../session/keyring-store.ts';
import { Button } from '../ui/button.tsx';
import { Notice } from '../ui/notice.tsx';

/** Leads to the unsaved changes of a refused key, until their page has taken them over. */
export function KeptNotice() {
  const { session: text } = useText();
  const kept = useKeptChanges();
  const held = activeKey(useKeyring());
  if (kept === null) return null;
  const { agentId, version } = kept;
  return (
    <div className="kept">
      <Notice tone="warn">
        <p>{text.keptHere}</p>
        {!mayGoOn(kept, held) && <p>{text.keptElsewhere}</p>}
        <div className="row">
          {mayGoOn(kept, held) && agentId === null && (
            <Link to="/agents/new" className="button button-main">
              {text.goOn}
            </Link>
          )}
          {mayGoOn(kept, held) && agentId !== null && version !== null && (
            <Link to="/agents/$agentId" params={{ agentId }} search={{ version }} className="button button-main">
              {text.goOn}
            </Link>
          )}
          <Button onClick={forgetKept}>{text.discard}</Button>
        </div>
      </Notice>
    </div>
  );
}

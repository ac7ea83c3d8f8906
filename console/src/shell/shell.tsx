import { Link, Outlet } from '@tanstack/react-router';
import { SERVICE_URL } from '../api/connection.ts';
import { useText } from '../i18n/language.tsx';
import { activeKey, allows, isOperators } from '../session/keyring.ts';
import { useKeyring } from '../session/keyring-store.ts';
import { KeyMenu } from './key-menu.tsx';
import { PAGES } from './navigation.ts';
import { PreferencesMenu } from './preferences-menu.tsx';

/** Navigation beside the page of the current place. */
export function Shell() {
  const text = useText();
  const held = activeKey(useKeyring());
  const pages = PAGES.filter(
    (page) => held !== null && allows(held.key, page.scope) && (page.isOperators !== true || isOperators(held.key)),
  );
  return (
    <div className="shell">
      <button type="button" className="skip" onClick={() => document.getElementById('content')?.focus()}>
        {text.shell.skip}
      </button>
      <header className="side">
        <p className="brand">
          <span aria-hidden="true" className="brand-mark" />
          Trunkline
        </p>
        <nav aria-label={text.shell.pages}>
          <ul>
            {pages.map(({ to, name }) => (
              <li key={to}>
                <Link to={to}>{name(text)}</Link>
              </li>
            ))}
            <li>
              <a href={`${SERVICE_URL}/docs`} target="_blank" rel="noreferrer">
                {text.shell.reference} <span aria-hidden="true">↗</span>
              </a>
            </li>
          </ul>
        </nav>
        <div className="side-end">
          <PreferencesMenu />
          <KeyMenu />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <Outlet />
      </main>
    </div>
  );
}

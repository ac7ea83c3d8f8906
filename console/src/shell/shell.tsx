import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { useEffect, useRef } from 'react';
import { SERVICE_URL } from '../api/connection.ts';
import { HAS_REFERENCE } from '../api/reference.ts';
import { useText } from '../i18n/language.tsx';
import { activeKey, allows, isOperators } from '../session/keyring.ts';
import { useKeyring } from '../session/keyring-store.ts';
import { KeptNotice } from './kept-notice.tsx';
import { KeyMenu } from './key-menu.tsx';
import { neededScope, PAGES } from './navigation.ts';
import { PreferencesMenu } from './preferences-menu.tsx';
import { ScopeMissing } from './scope-missing.tsx';
import { StaleNotice } from './stale-notice.tsx';

/** Scrolls a navigation in one line, as in a narrow window, to the link of the current page. */
function showActive(navigation: HTMLElement | null): void {
  const link = navigation?.querySelector<HTMLElement>('a.active');
  if (!navigation || !link) return;
  navigation.scrollLeft = link.offsetLeft - navigation.offsetLeft - (navigation.clientWidth - link.offsetWidth) / 2;
}

/** Navigation beside the page of the current place. */
export function Shell() {
  const text = useText();
  const held = activeKey(useKeyring());
  const pages = PAGES.filter(
    (page) => held !== null && allows(held.key, page.scope) && (page.isOperators !== true || isOperators(held.key)),
  );
  const navigation = useRef<HTMLElement>(null);
  const place = useLocation({ select: ({ pathname }) => pathname });
  const scope = neededScope(place);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new place has another active link.
  useEffect(() => showActive(navigation.current), [place]);
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
        <nav aria-label={text.shell.pages} ref={navigation}>
          <ul>
            {pages.map(({ to, name }) => (
              <li key={to}>
                <Link to={to}>{name(text)}</Link>
              </li>
            ))}
            {HAS_REFERENCE && (
              <li>
                <a href={`${SERVICE_URL}/docs`} target="_blank" rel="noreferrer">
                  {text.shell.reference} <span aria-hidden="true">↗</span>
                </a>
              </li>
            )}
          </ul>
        </nav>
        <div className="side-end">
          <PreferencesMenu />
          <KeyMenu />
        </div>
      </header>
      <main id="content" tabIndex={-1}>
        <KeptNotice />
        <StaleNotice />
        {scope === null || held === null || allows(held.key, scope) ? <Outlet /> : <ScopeMissing scope={scope} />}
      </main>
    </div>
  );
}

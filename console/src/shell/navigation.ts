import type { Scope } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';

interface Page {
  readonly to:
    | '/calls'
    | '/agents'
    | '/analytics'
    | '/talk'
    | '/knowledge'
    | '/telephony'
    | '/webhooks'
    | '/keys'
    | '/audit-log'
    | '/settings'
    | '/checks';
  readonly name: (text: Messages) => string;
  readonly scope: Scope;
  /** Shown to keys of the operator alone: the page shows the service itself. */
  readonly isOperators?: true;
}

/** The pages in the order of the navigation. A page is shown to keys with its scope. */
export const PAGES: readonly Page[] = [
  { to: '/calls', name: (text) => text.shell.calls, scope: 'read' },
  { to: '/analytics', name: (text) => text.analytics.title, scope: 'read' },
  { to: '/agents', name: (text) => text.shell.agents, scope: 'read' },
  { to: '/talk', name: (text) => text.talk.title, scope: 'write' },
  { to: '/knowledge', name: (text) => text.knowledge.title, scope: 'read' },
  { to: '/telephony', name: (text) => text.telephony.title, scope: 'read' },
  { to: '/webhooks', name: (text) => text.webhooks.title, scope: 'read' },
  { to: '/keys', name: (text) => text.session.keys, scope: 'admin' },
  { to: '/audit-log', name: (text) => text.audit.title, scope: 'admin' },
  { to: '/settings', name: (text) => text.settings.title, scope: 'admin', isOperators: true },
  { to: '/checks', name: (text) => text.checks.title, scope: 'admin', isOperators: true },
];

/** The scope without which the page at a path is not shown; null: no such page. */
export function neededScope(pathname: string): Scope | null {
  const path = pathname.replace(/\/$/, '');
  // A form below a page that only shows.
  if (path === '/agents/new') return 'write';
  return PAGES.find(({ to }) => path === to || path.startsWith(`${to}/`))?.scope ?? null;
}

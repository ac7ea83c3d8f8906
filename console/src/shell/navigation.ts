import type { Scope } from '../generated/client.ts';
import type { Messages } from '../i18n/en.ts';

interface Page {
  readonly to: '/calls' | '/agents' | '/knowledge' | '/telephony' | '/webhooks' | '/keys';
  readonly name: (text: Messages) => string;
  readonly scope: Scope;
}

/** The pages in the order of the navigation. A page is shown to keys with its scope. */
export const PAGES: readonly Page[] = [
  { to: '/calls', name: (text) => text.shell.calls, scope: 'read' },
  { to: '/agents', name: (text) => text.shell.agents, scope: 'read' },
  { to: '/knowledge', name: (text) => text.knowledge.title, scope: 'read' },
  { to: '/telephony', name: (text) => text.telephony.title, scope: 'read' },
  { to: '/webhooks', name: (text) => text.webhooks.title, scope: 'read' },
  { to: '/keys', name: (text) => text.session.keys, scope: 'admin' },
];

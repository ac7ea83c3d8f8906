import {
  createHashHistory,
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  redirect,
} from '@tanstack/react-router';
import { readAnalyticsSearch } from '../analytics/analytics-search.ts';
import { readAuditSearch } from '../audit/audit-search.ts';
import { readCallSearch } from '../calls/call-search.ts';
import { useText } from '../i18n/language.tsx';
import { Notice } from '../ui/notice.tsx';
import { loadedScript } from '../ui/script-not-loaded.ts';
import { readAgentSearch } from './agent-search.ts';
import { Failed } from './failed.tsx';
import { Shell } from './shell.tsx';
import { validSearch } from './valid-search.ts';

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: Failed });

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/calls' });
  },
});
const calls = createRoute({
  getParentRoute: () => root,
  path: '/calls',
  validateSearch: validSearch(readCallSearch),
  component: lazyRouteComponent(() => loadedScript(import('../calls/calls-page.tsx')), 'CallsPage'),
});
const call = createRoute({
  getParentRoute: () => root,
  path: '/calls/$callId',
  component: lazyRouteComponent(() => loadedScript(import('../call/call-page.tsx')), 'CallPage'),
});
const analytics = createRoute({
  getParentRoute: () => root,
  path: '/analytics',
  validateSearch: validSearch(readAnalyticsSearch),
  component: lazyRouteComponent(() => loadedScript(import('../analytics/analytics-page.tsx')), 'AnalyticsPage'),
});
const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyRouteComponent(() => loadedScript(import('../agents/agents-page.tsx')), 'AgentsPage'),
});
const newAgent = createRoute({
  getParentRoute: () => root,
  path: '/agents/new',
  component: lazyRouteComponent(() => loadedScript(import('../agents/agent-page.tsx')), 'NewAgentPage'),
});
const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$agentId',
  validateSearch: validSearch(readAgentSearch),
  component: lazyRouteComponent(() => loadedScript(import('../agents/agent-page.tsx')), 'AgentPage'),
});

const talk = createRoute({
  getParentRoute: () => root,
  path: '/talk',
  component: lazyRouteComponent(() => loadedScript(import('../talk/talk-page.tsx')), 'TalkPage'),
});
const telephony = createRoute({
  getParentRoute: () => root,
  path: '/telephony',
  component: lazyRouteComponent(() => loadedScript(import('../telephony/telephony-page.tsx')), 'TelephonyPage'),
});
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => loadedScript(import('../webhooks/webhooks-page.tsx')), 'WebhooksPage'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(() => loadedScript(import('../keys/keys-page.tsx')), 'KeysPage'),
});

const auditLog = createRoute({
  getParentRoute: () => root,
  path: '/audit-log',
  validateSearch: validSearch(readAuditSearch),
  component: lazyRouteComponent(() => loadedScript(import('../audit/audit-page.tsx')), 'AuditPage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => loadedScript(import('../settings/settings-page.tsx')), 'SettingsPage'),
});
const checks = createRoute({
  getParentRoute: () => root,
  path: '/checks',
  component: lazyRouteComponent(() => loadedScript(import('../checks/checks-page.tsx')), 'ChecksPage'),
});

const knowledge = createRoute({
  getParentRoute: () => root,
  path: '/knowledge',
  component: lazyRouteComponent(() => loadedScript(import('../knowledge/knowledge-page.tsx')), 'KnowledgePage'),
});
const knowledgeBase = createRoute({
  getParentRoute: () => root,
  path: '/knowledge/$baseId',
  component: lazyRouteComponent(() => loadedScript(import('../knowledge/base-page.tsx')), 'KnowledgeBasePage'),
});

/** Paths follow the #: a reload or a link needs no rule in the service or a proxy. */
export const router = createRouter({
  routeTree: root.addChildren([
    home,
    calls,
    call,
    analytics,
    agents,
    newAgent,
    agent,
    talk,
    knowledge,
    knowledgeBase,
    telephony,
    webhooks,
    keys,
    auditLog,
    settings,
    checks,
  ]),
  history: createHashHistory(),
  defaultPreload: 'intent',
  defaultErrorComponent: Failed,
  // Each agent and each knowledge base has its own instance of the page: what was typed for one must not be stored in another.
  defaultRemountDeps: ({ params }) => params,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  const text = useText();
  return (
    <section className="page">
      <Notice>{text.common.notFound}</Notice>
    </section>
  );
}

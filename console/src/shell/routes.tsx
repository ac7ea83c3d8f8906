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
import { readAgentSearch } from './agent-search.ts';
import { Shell } from './shell.tsx';

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
  validateSearch: readCallSearch,
  component: lazyRouteComponent(() => import('../calls/calls-page.tsx'), 'CallsPage'),
});
const call = createRoute({
  getParentRoute: () => root,
  path: '/calls/$callId',
  component: lazyRouteComponent(() => import('../call/call-page.tsx'), 'CallPage'),
});
const analytics = createRoute({
  getParentRoute: () => root,
  path: '/analytics',
  validateSearch: readAnalyticsSearch,
  component: lazyRouteComponent(() => import('../analytics/analytics-page.tsx'), 'AnalyticsPage'),
});
const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: lazyRouteComponent(() => import('../agents/agents-page.tsx'), 'AgentsPage'),
});
const newAgent = createRoute({
  getParentRoute: () => root,
  path: '/agents/new',
  component: lazyRouteComponent(() => import('../agents/agent-page.tsx'), 'NewAgentPage'),
});
const agent = createRoute({
  getParentRoute: () => root,
  path: '/agents/$agentId',
  validateSearch: readAgentSearch,
  component: lazyRouteComponent(() => import('../agents/agent-page.tsx'), 'AgentPage'),
});

const talk = createRoute({
  getParentRoute: () => root,
  path: '/talk',
  component: lazyRouteComponent(() => import('../talk/talk-page.tsx'), 'TalkPage'),
});
const telephony = createRoute({
  getParentRoute: () => root,
  path: '/telephony',
  component: lazyRouteComponent(() => import('../telephony/telephony-page.tsx'), 'TelephonyPage'),
});
const webhooks = createRoute({
  getParentRoute: () => root,
  path: '/webhooks',
  component: lazyRouteComponent(() => import('../webhooks/webhooks-page.tsx'), 'WebhooksPage'),
});

const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  component: lazyRouteComponent(() => import('../keys/keys-page.tsx'), 'KeysPage'),
});

const auditLog = createRoute({
  getParentRoute: () => root,
  path: '/audit-log',
  validateSearch: readAuditSearch,
  component: lazyRouteComponent(() => import('../audit/audit-page.tsx'), 'AuditPage'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: lazyRouteComponent(() => import('../settings/settings-page.tsx'), 'SettingsPage'),
});
const checks = createRoute({
  getParentRoute: () => root,
  path: '/checks',
  component: lazyRouteComponent(() => import('../checks/checks-page.tsx'), 'ChecksPage'),
});

const knowledge = createRoute({
  getParentRoute: () => root,
  path: '/knowledge',
  component: lazyRouteComponent(() => import('../knowledge/knowledge-page.tsx'), 'KnowledgePage'),
});
const knowledgeBase = createRoute({
  getParentRoute: () => root,
  path: '/knowledge/$baseId',
  component: lazyRouteComponent(() => import('../knowledge/base-page.tsx'), 'KnowledgeBasePage'),
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
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}

function NotFound() {
  return <Notice>{useText().common.notFound}</Notice>;
}

function Failed({ error }: { readonly error: unknown }) {
  const text = useText();
  return (
    <Notice tone="bad">
      <p>{text.common.failed}</p>
      <p>{error instanceof Error ? error.message : String(error)}</p>
    </Notice>
  );
}

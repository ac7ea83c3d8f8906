import { MutationCache, QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode, useState } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiFailure } from './api/api-failure.ts';
import { isTemporary } from './api/temporary-failure.ts';
import { LanguageProvider } from './i18n/language.tsx';
import { keepUnsaved } from './session/kept-changes.ts';
import { withoutRefused } from './session/keyring.ts';
import { currentKey, replaceKeyring, useKeyring } from './session/keyring-store.ts';
import { SignInPage } from './session/sign-in.tsx';
import { leaveCallAddress, takePreparedCall } from './shell/call-address.ts';
import { router } from './shell/routes.tsx';
import { applyTheme, storedTheme } from './shell/theme.ts';
import { lazyPart } from './ui/lazy-part.tsx';
import { adoptNonce } from './ui/style-nonce.ts';
import './styles/tokens.css';
import './styles/base.css';
import './styles/shell.css';
import './styles/parts.css';
import './styles/call.css';
import './styles/agents.css';
import './styles/analytics.css';
import './styles/talk.css';

/** How long data counts as fresh, ms: a page that is opened again right away asks nothing. */
const FRESH_MS = 5_000;
/** How long after a temporary failure a read is tried again, ms, as long as something shows its result. */
const RETRY_MS = 3_000;
/** TanStack Query would hold requests while the browser reports that it is offline, although the service may be on the same network. */
const networkMode = 'always';

const GuestPage = lazyPart(async () => (await import('./talk/guest-page.tsx')).GuestPage);

adoptNonce();
applyTheme(storedTheme());
const preparedCall = takePreparedCall();
if (preparedCall === null) leaveCallAddress();

function newQueryClient(keyId: string): QueryClient {
  const onError = (error: Error) => signOutIfRefused(error, keyId);
  return new QueryClient({
    queryCache: new QueryCache({ onError }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      mutations: { networkMode },
      queries: {
        networkMode,
        // TanStack Query would not: with this network mode it expects requests to succeed offline.
        refetchOnReconnect: true,
        staleTime: FRESH_MS,
        retry: (_failures, error) => isTemporary(error),
        retryDelay: RETRY_MS,
      },
    },
  });
}

/** Removes a key that was revoked, and keeps what was edited with it. The answer may come after another key is in use. */
function signOutIfRefused(error: Error, keyId: string): void {
  if (!(error instanceof ApiFailure) || error.status !== 401) return;
  const held = currentKey();
  if (held?.key.id === keyId) keepUnsaved(held.key.organization_id);
  replaceKeyring((before) => withoutRefused(before, keyId));
}

/** Everything that the key in use may see. Another key starts with nothing. */
function SignedIn({ keyId }: { readonly keyId: string }) {
  const [queryClient] = useState(() => newQueryClient(keyId));
  return (
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  );
}

function Console() {
  const { activeId } = useKeyring();
  return activeId === null ? <SignInPage /> : <SignedIn key={activeId} keyId={activeId} />;
}

const place = document.getElementById('root');
if (place !== null) {
  createRoot(place).render(
    <StrictMode>
      <LanguageProvider>{preparedCall === null ? <Console /> : <GuestPage mediaUrl={preparedCall} />}</LanguageProvider>
    </StrictMode>,
  );
}

import { useMutation } from '@tanstack/react-query';
import { reached, ServiceUnreachable } from '../api/service-unreachable.ts';
import { useText } from '../i18n/language.tsx';
import { Button } from '../ui/button.tsx';
import { errorText } from '../ui/error-text.ts';
import { Notice } from '../ui/notice.tsx';
import { ScriptNotLoaded } from '../ui/script-not-loaded.ts';

/** Stands in place of a page that failed. */
export function Failed({ error }: { readonly error: unknown }) {
  const text = useText();
  return (
    <section className="page">
      <h1>{text.common.failed}</h1>
      {error instanceof ScriptNotLoaded ? <NotLoaded /> : <Notice tone="bad">{errorText(error, text)}</Notice>}
    </section>
  );
}

/** Loads the whole console again, which may have another version by now, but only from a service that responds. */
function NotLoaded() {
  const text = useText();
  const again = useMutation({ mutationFn: serviceResponds, onSuccess: () => location.reload() });
  return (
    <Notice tone="bad">
      <p>{text.common.notLoaded}</p>
      <Button disabled={again.isPending} onClick={() => again.mutate()}>
        {text.common.tryAgain}
      </Button>
    </Notice>
  );
}

/** @throws ServiceUnreachable also if a reverse proxy responds in its place */
async function serviceResponds(): Promise<void> {
  const { ok } = await reached(fetch(location.pathname, { cache: 'no-store' }));
  if (!ok) throw new ServiceUnreachable();
}

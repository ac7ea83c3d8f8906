import { useIsFetching } from '@tanstack/react-query';
import { useText } from '../i18n/language.tsx';
import { Notice } from '../ui/notice.tsx';

/** Stands above a page whose data is read again in vain: it shows what was read before. */
export function StaleNotice() {
  const text = useText();
  const failing = useIsFetching({
    predicate: ({ state }) => state.data !== undefined && state.fetchFailureCount > 0,
  });
  if (failing === 0) return null;
  return (
    <Notice tone="warn">
      {text.common.stale} {text.common.retrying}
    </Notice>
  );
}

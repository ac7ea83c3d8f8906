import { useText } from '../i18n/language.tsx';
import { Button } from './button.tsx';

interface MoreButtonProps {
  /** The query of a list that is read page by page. */
  readonly query: {
    readonly hasNextPage: boolean;
    readonly isFetchingNextPage: boolean;
    readonly fetchNextPage: () => Promise<unknown>;
  };
}

/** Reads the next page of a list. Nothing after the last one. */
export function MoreButton({ query }: MoreButtonProps) {
  const text = useText();
  if (!query.hasNextPage) return null;
  return (
    <Button disabled={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
      {text.common.more}
    </Button>
  );
}

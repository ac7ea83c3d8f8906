import { useEffect, useState } from 'react';
import { parsedJson } from '../document/agent-document.ts';
import type { AgentFinding } from './agent-finding.ts';

/** A check begins when nothing was typed for this long, ms. */
const PAUSE_MS = 250;
const NOTHING: readonly AgentFinding[] = [];

/** The findings about a document, as it is stored or edited. The check is loaded after the page: it is as large as the editor. */
export function useDocumentCheck(content: string): readonly AgentFinding[] {
  const [findings, setFindings] = useState(NOTHING);
  useEffect(() => {
    let isCurrent = true;
    const timer = setTimeout(async () => {
      const { checkDocument } = await import('./check-document.ts');
      const document = parsedJson(content);
      if (isCurrent) setFindings(document === null ? NOTHING : checkDocument(document));
    }, PAUSE_MS);
    return () => {
      isCurrent = false;
      clearTimeout(timer);
    };
  }, [content]);
  return findings;
}

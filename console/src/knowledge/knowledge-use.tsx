import { Link } from '@tanstack/react-router';
import { useText } from '../i18n/language.tsx';

/** How an agent gets a knowledge base. */
export function KnowledgeUse() {
  const text = useText();
  return (
    <p className="quiet">
      {text.agents.edit.knowledgeUse} <Link to="/agents">{text.agents.title}</Link>
    </p>
  );
}

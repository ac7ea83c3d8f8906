import type { session as english } from './en.ts';

export const session: typeof english = {
  key: 'API-Schlüssel',
  signIn: 'Anmelden',
  explanation:
    'Melden Sie sich mit einem API-Schlüssel an. Er bleibt in diesem Browser-Tab, bis Sie ihn schließen. Einen Schlüssel erzeugt „trunkline keys create“.',
  refused: 'Dieser API-Schlüssel wurde abgelehnt: Er ist unbekannt oder widerrufen.',
  addKey: 'Weiteren Schlüssel hinzufügen',
  removeKey: 'Diesen Schlüssel abmelden',
  keys: 'API-Schlüssel',
  scopes: 'Rechte',
  account: (name) => `API-Schlüssel ${name}, wechseln oder abmelden`,
  kept: 'Ihre ungespeicherten Änderungen an einem Agenten bleiben erhalten. Nach der Anmeldung sind sie wieder da.',
  keptHere:
    'Der Dienst hat den verwendeten Schlüssel abgelehnt. Ungespeicherte Änderungen an einem Agenten sind noch da.',
  keptElsewhere: 'Verwenden Sie zum Weiterarbeiten einen Schlüssel derselben Organisation mit dem Recht „write“.',
  goOn: 'Weiter bearbeiten',
  discard: 'Änderungen verwerfen',
  noAccess: 'Kein Zugriff',
  scopeMissing: (scope) => `Dem verwendeten API-Schlüssel fehlt das Recht „${scope}“, das diese Seite braucht.`,
};

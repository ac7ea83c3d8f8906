import { GERMAN_NUMBERS } from '../../base/text/number-words.ts';
import { dictatedNumbers } from './dictated-numbers.ts';
import { GERMAN_CLAUSES } from './german-clauses.ts';
import type { LanguagePack } from './language-pack.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const GERMAN: LanguagePack = {
  backchannels: phraseSet(`
    mhm, mmhm, mm-hmm, hm, hmm, mm, mmm, aha, ah, ah ja, ah so, achso, ach so, oh, oha, ok, okay, okey, ja, jo, joa,
    jawohl, jaja, ja ja, ja genau, ja klar, ja gut, genau, richtig, stimmt, das stimmt, klar, na klar, alles klar,
    gut, sehr gut, ist gut, na gut, schön, super, prima, toll, perfekt, wunderbar, bestens, in ordnung, geht klar,
    passt, das passt, gerne, gern, sicher, natürlich, selbstverständlich, verstehe, ich verstehe, verstanden,
    ich weiß, eben, exakt, absolut, auf jeden fall, kein problem, wirklich, echt, interessant, einverstanden, bitte,
    ja bitte, gebongt, freilich`),
  attentionCalls: phraseSet(`
    hallo, noch da, sind sie da, sind sie noch da, sind sie noch dran, sind sie noch in der leitung, bist du da,
    bist du noch da, bist du noch dran, jemand da, ist jemand da, ist da jemand, ist da noch jemand, ist noch jemand da,
    hören sie mich, hören sie mich noch, hörst du mich, hörst du mich noch, können sie mich hören, kannst du mich hören,
    verstehen sie mich, haben sie mich gehört, haben sie mich verstanden`),
  stopPhrases: phraseSet(`
    stopp, stop, halt, moment, moment mal, einen moment, einen augenblick, augenblick, sekunde, eine sekunde, warten,
    warte, warten sie, nein, nee, nö, entschuldigung, entschuldigen sie, verzeihung, pardon, sorry, lassen sie mich,
    hören sie, ruhe, genug, vergessen sie es, schluss, aufhören`),
  farewells: phraseSet(`
    nein danke, nein vielen dank, nein das war's, nein das war alles, tschüss, tschüs, tschau, ciao, servus, ade, bye,
    wiedersehen, auf wiedersehen, wiederhören, auf wiederhören, wiederschauen, auf wiederschauen, danke, danke schön,
    dankeschön, danke sehr, vielen dank, herzlichen dank, besten dank, danke ihnen, ich danke ihnen,
    danke gleichfalls, gleichfalls, ebenfalls, ebenso, ihnen auch, dir auch, danke ihnen auch, schönen tag,
    schönen tag noch, einen schönen tag, einen schönen tag noch, schönen abend, schönen abend noch,
    einen schönen abend, einen schönen abend noch, schönes wochenende, ein schönes wochenende, gute nacht,
    guten abend, alles gute, bis dann, bis bald, bis morgen, bis später, bis freitag, mach's gut, das war's,
    das war alles, das ist alles, bitte schön`),
  clauses: GERMAN_CLAUSES,
  dictation: {
    ...dictatedNumbers(GERMAN_NUMBERS, 'doppel doppelt'),
    ambiguous: wordSet('ein'),
    alphabet: wordSet(`
      anton ärger berta cäsar charlotte dora emil friedrich gustav heinrich ida julius kaufmann konrad ludwig martha
      nordpol otto ökonom paula quelle richard samuel schule siegfried theodor ulrich übermut viktor wilhelm xanthippe
      ypsilon zacharias zeppelin aachen berlin chemnitz düsseldorf essen frankfurt goslar hamburg ingelheim jena köln
      leipzig münchen nürnberg offenbach potsdam quickborn rostock salzwedel tübingen unna völklingen wuppertal xanten
      zwickau`),
    letterLinks: phraseSet('wie, wie in'),
    atSign: wordSet('at ät klammeraffe'),
    marks: wordSet('punkt strich bindestrich unterstrich minus schrägstrich slash plus raute komma dot'),
    streets: wordSet('straße strasse str hausnummer postleitzahl'),
    streetEndings: ['straße', 'strasse', 'weg', 'platz', 'gasse', 'allee', 'damm', 'ufer', 'chaussee'],
    streetNameFollows: false,
  },
  abbreviations: wordSet('hr fr dr prof st str nr ca bzw usw z.b d.h u.a tel inkl evtl ggf mfg abs vgl'),
  ordinalStop: true,
  apology: 'Es tut mir leid, bei uns ist etwas schiefgegangen. Bitte rufen Sie später noch einmal an. Auf Wiederhören.',
  emptyResponseApology: 'Entschuldigung, ich habe den Faden verloren. Könnten Sie das bitte noch einmal sagen?',
  toolFiller: 'Einen Moment bitte, ich bin noch dabei.',
  thinkingFiller: 'Einen Moment, bitte.',
  answeringMachine: {
    introduction: [
      'hier ist|spricht',
      'sie haben … erreicht',
      'sie sind verbunden mit',
      'dies ist',
      'das ist der anschluss',
      'willkommen bei|beim',
      'vielen dank für ihren anruf',
    ],
    recording: [
      'nach dem ton|signalton|piepton|signal|piep|tonsignal|pfeifton',
      'hinterlassen sie … nachricht',
      'sprechen sie … nachricht',
      'aufnahme beenden',
      'ihre nachricht … aufgezeichnet',
    ],
    absence: [
      'nachricht … hinterlassen',
      'nachricht auf',
      'hinterlassen',
      'mailbox',
      'sprachbox',
      'anrufbeantworter',
      'bin … nicht erreichbar',
      'sind … nicht erreichbar',
      'nicht am platz',
      'kann ihren anruf',
      'können ihren anruf',
      'außerhalb unserer',
    ],
    menu: [
      'drücken … eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|null|raute|stern|1|2|3|4|5|6|7|8|9|0',
      'wählen sie … eins|zwei|drei|vier|fünf|sechs|sieben|acht|neun|null|1|2|3|4|5|6|7|8|9|0',
      'drücken sie die taste',
      'hauptmenü',
      'folgenden optionen',
      'sagen sie zum beispiel',
      'geben sie ihre … nummer',
    ],
    screening: [
      'nennen|sagen sie … ihren namen',
      'sagen sie … namen und',
      'grund ihres|des anrufs',
      'grund für ihren anruf',
      'warum sie anrufen',
      'weshalb sie anrufen',
      'worum es geht',
      'filterdienst',
      'anruffilter',
    ],
    announcement: [
      'nicht erreichbar',
      'nicht vergeben',
      'kein anschluss',
      'nicht bekannt',
      'ausgeschaltet',
      'nicht vollständig',
    ],
    pleaseWait: [
      'einen moment bitte',
      'bitte warten',
      'bleiben sie … leitung|apparat',
      'werden … verbunden',
      'verbinde sie',
      'verbinden sie',
      'bitte haben sie … geduld',
      'in der warteschlange',
    ],
  },
};

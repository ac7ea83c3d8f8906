import { ITALIAN_NUMBERS } from '../../base/text/number-words.ts';
import { dictatedNumbers } from './dictated-numbers.ts';
import { ITALIAN_CLAUSES } from './italian-clauses.ts';
import type { LanguagePack } from './language-pack.ts';
import { phraseSet, wordSet } from './word-lists.ts';

/** Tens lose their last vowel before «uno» and «otto». */

export const ITALIAN: LanguagePack = {
  backchannels: phraseSet(`
    mhm, mm-hmm, hm, hmm, mm, mmm, ah, ah sì, ah ok, ah ecco, oh, eh, eh sì, aha, ok, okay, okey, sì, si, sì sì,
    certo, certo certo, certamente, bene, va bene, molto bene, benissimo, va benissimo, perfetto, ottimo, fantastico,
    giusto, esatto, esattamente, appunto, infatti, vero, è vero, d'accordo, capisco, ho capito, capito, chiaro,
    è chiaro, lo so, come no, già, ecco, ci mancherebbe, volentieri, assolutamente, assolutamente sì, ovviamente,
    ovvio, naturalmente, davvero, interessante, prego, dica, mi dica, vada avanti, nessun problema, non c'è problema,
    corretto, è corretto`),
  attentionCalls: phraseSet(`
    pronto, c'è, c'è ancora, ci sei, ci sei ancora, è lì, è ancora lì, sei lì, sei ancora lì, è ancora in linea,
    sei ancora in linea, c'è qualcuno, mi sente, mi sente ancora, mi senti, mi senti ancora, riesce a sentirmi,
    riesci a sentirmi`),
  stopPhrases: phraseSet(`
    stop, ferma, fermo, si fermi, fermati, aspetti, aspetta, un attimo, un attimino, attimo, un momento, un secondo,
    un minuto, no, no no, scusi, scusa, mi scusi, scusami, pardon, mi dispiace, senta, senti, ascolti,
    mi faccia parlare, mi lasci parlare, mi faccia finire, basta, zitto, lasci perdere, lascia stare, in realtà,
    veramente no`),
  farewells: phraseSet(`
    no grazie, no grazie mille, no è tutto, arrivederci, arrivederla, a risentirci, ciao, ciao ciao, addio, salve,
    grazie, grazie mille, mille grazie, molte grazie, tante grazie, grazie tante, grazie infinite, la ringrazio,
    ti ringrazio, grazie a lei, grazie a te, a lei, anche a lei, anche a te, altrettanto, buona giornata,
    buona serata, buon pomeriggio, buonanotte, buona notte, buonasera, buona sera, buongiorno, buon giorno,
    buon weekend, buon fine settimana, a presto, a dopo, a domani, a venerdì, ci vediamo, ci sentiamo, alla prossima,
    tutto qui, è tutto, basta così, prego, di nulla, di niente, si figuri`),
  clauses: ITALIAN_CLAUSES,
  dictation: {
    ...dictatedNumbers(ITALIAN_NUMBERS, 'doppio doppia triplo'),
    ambiguous: wordSet('a e i o un è più'),
    alphabet: wordSet(`
      ancona bologna bari como catania domodossola empoli firenze genova hotel imola jersey jolly kappa livorno milano
      napoli otranto padova palermo quarto quadro roma savona torino udine venezia vicenza washington xilofono xeres
      york yogurt zara zeta`),
    letterLinks: phraseSet('come, di, come in'),
    atSign: wordSet('chiocciola chiocciolina at'),
    marks: wordSet('punto trattino underscore barra slash virgola più cancelletto'),
    streets: wordSet('via viale piazza piazzale corso largo vicolo strada lungomare contrada'),
    streetEndings: [],
    streetNameFollows: true,
  },
  abbreviations: wordSet(
    'sig sigg sig.ra sig.na dott dott.ssa dr ing avv prof prof.ssa geom rag ecc es p.es v.le p.za tel n art pag',
  ),
  ordinalStop: false,
  apology:
    'Mi dispiace, si è verificato un problema da parte nostra. La preghiamo di richiamare tra poco. Arrivederci.',
  emptyResponseApology: 'Mi scusi, ho perso il filo. Può ripetere, per favore?',
  toolFiller: 'Un attimo per favore, ci sto ancora lavorando.',
  thinkingFiller: 'Un attimo, per favore.',
  answeringMachine: {
    introduction: [
      'avete|hai|ha chiamato',
      'risponde',
      'questo|questa è',
      'sono',
      'benvenuto|benvenuti|benvenuta',
      'grazie per|di aver|averci chiamato',
    ],
    recording: [
      'dopo il segnale|bip|tono|beep',
      'lasciate|lascia|lasci … messaggio',
      'lasciare … messaggio',
      'registrate|registra … messaggio',
    ],
    absence: [
      'segreteria',
      'casella vocale',
      'non sono disponibile',
      'non siamo disponibili',
      'non posso rispondere',
      'non possiamo rispondere',
    ],
    menu: [
      'prema|premi|premere|digiti|digitare|selezioni … uno|due|tre|quattro|cinque|sei|sette|otto|nove|zero|asterisco|cancelletto|1|2|3|4|5|6|7|8|9|0',
      'tasto … uno|due|tre|1|2|3',
      'menù principale',
      'seguenti opzioni',
    ],
    screening: [
      'dica|dire|indichi … suo nome',
      'motivo della|della sua|sua chiamata',
      'perché sta chiamando',
      'motivo per cui',
    ],
    announcement: [
      'non è raggiungibile',
      'non raggiungibile',
      'non è attivo',
      'potrebbe avere il terminale spento',
      'cliente da lei chiamato',
      'inesistente',
      'utente da lei',
    ],
    pleaseWait: [
      'attendere prego',
      'attenda|resti in linea',
      'rimanga in linea',
      'un momento prego',
      'prego attendere',
      'la stiamo mettendo in contatto',
      'la metto in contatto',
    ],
  },
};

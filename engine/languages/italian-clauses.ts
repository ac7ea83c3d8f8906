import type { ClauseWords } from './clause-words.ts';
import { phraseSet, wordSet } from './word-lists.ts';

export const ITALIAN_CLAUSES: ClauseWords = {
  open: wordSet(`
    e ed o oppure ma però perché poiché quindi dunque né che cui il lo la i gli le un uno una del dello della dei
    degli delle al allo alla ai agli alle dal dallo dalla dai dalle nel nello nella nei nelle sul sullo sulla sui
    sulle col di a ad da in con su per tra fra senza verso durante presso mio mia miei mie tuo tua suo sua suoi sue
    nostro nostra vostro vostra quel ogni qualche alcuni alcune c'è ehm eh ehmm mmm uhm signor signora dottor
    ingegner professor non`),
  mostlyOpen: wordSet('è sono era erano sia sarebbe se come mi si ci vi chiamo chiama'),
  openUnmarked: wordSet(`
    ho ha abbiamo avete hanno avevo aveva posso può possiamo potete potrei potrebbe voglio vuole vorrei vorremmo
    devo deve dobbiamo dovrei quando dove mentre allora anche io lei lui noi non cioè tipo insomma sto sta stavo
    questo questa quello quella chi cosa quanto quale perché bisogno puoi possono potevo poteva potevano
    potremmo potreste potrebbero vuoi vogliamo volete vogliono volevo voleva volevamo vorrebbe devi dovete
    devono dovevo doveva dovevano dovrebbe dovremmo dovrebbero avevano avrei avrebbe potesse avesse
    possa appena`),
  openEndings: phraseSet(`
    mi piacerebbe, vorrei sapere, volevo sapere, volevo chiedere, volevo, volevo solo, ho bisogno, ho bisogno
    di, avrei bisogno, avrei bisogno di, mi serve, mi servirebbe, mi può, mi può dire, mi potrebbe, mi potrebbe
    dire, può dirmi, potrebbe dirmi, mi saprebbe dire, è possibile, sarebbe possibile, mi chiamo, il mio nome è,
    il problema è, il problema è che, la domanda è, il fatto è, chiamo per, chiamo perché, la chiamo per, sto
    chiamando, sto cercando, sto chiamando per, si tratta di, quello che, quella che, il fatto che, dal momento
    che, visto che, prima di, dopo di, vicino a, invece di, a partire da, a causa di, uno di, una di, credo che,
    penso che, credo, penso, non so se, sapere se, vedere se, sapere quando, sapere quanto, mi chiedevo, stavo
    pensando, c'è qualche, ci sono, c'è un, ho un, ho una, alle ore, alle, il numero è, avete, posso avere,
    potrei avere, si può, diciamo, sto provando, sto provando a, cerco di, sono il dottor, vorrei, potrei,
    potreste, dovrei, che fosse, che sia, che abbia, che potesse, e un'altra cosa, ancora una cosa, un nuovo, non
    appena`),
  reportEndings: phraseSet(`
    volevo dire, voglio dire, mi ha detto, mi hanno detto, mi aveva detto, mi avete detto, mi dicono`),
  closedEndings: phraseSet(`
    credo di sì, penso di sì, credo di no, penso di no, sì lo so, non lo so, lo so, com'è, dov'è, chi è, cos'è,
    che cos'è, quando è, quant'è, quanto è, qual è, sì posso, sì ho, non posso, non ce l'ho, ce l'ho, sì c'è,
    non c'è, sì sono io, sono io, anche io, anch'io, va bene così è, così è, se può, se si può, quando può, se
    possibile, appena può, per lei, a lei, con lei, con lui, con noi, quanto costa questo, va bene questo, di
    più, non più, dove sono, chi sono, quanto sono, come sono, quali sono, dove siete, come sta, come state, in
    punto, quello che sia, qualunque cosa sia, quale che sia, da solo, da sola, ci vuole, non ancora, se è
    possibile, quando vuole, quando volete`),
  objectVerbs: wordSet(`
    voglio vorrei cerco prenotare comprare ordinare cambiare fare avere prendere dare mandare inviare mettere
    trovare ricevere prenoto compro chiedere modificare confermare aggiungere spostare serve servono`),
  verbFinal: false,
  particles: wordSet(''),
  particleVerbs: wordSet(''),
  questionWords: wordSet('cosa chi dove quando come quanto quanta quanti quante quale quali perché'),
  auxiliaries: wordSet(`
    può puoi posso potrei potrebbe vuole voglio vorrei devo deve è sono ha ho avete siete sta possiamo potete
    possono potevo poteva potevano potremmo potreste potrebbero vuoi vogliamo volete vogliono volevo voleva
    volevamo vorrebbe vorremmo devi dobbiamo dovete devono dovevo doveva dovevano dovrei dovrebbe dovremmo
    dovrebbero avevo aveva avevano avrei avrebbe potesse avesse possa`),
  pronouns: wordSet('io lei lui noi voi loro tu'),
  clauseOpeners: phraseSet(`
    se, quando, mentre, appena, non appena, anche se, nel caso, nel caso in cui, prima che, dopo che, a meno che,
    siccome, dato che, visto che, una volta che, sebbene, finché, qualora`),
  mainClauseStarts: phraseSet(`
    vorrei, posso, può, potrei, potrebbe, allora, per favore, mi piacerebbe, devo, dovrei, mi può, mi chiami, mi
    chiama, mi faccia, mi dica, mi richiami, preferisco, preferirei, va bene, cosa, come, dove, quanto, quando,
    bisogna, sarebbe, c'è, ci sono, è possibile, è meglio, meglio, avrei, ho bisogno, pago, vengo, passo, chiamo, la
    chiamo, le faccio, non posso, non vengo, ci vediamo`),
  leadWords: wordSet(`
    sì si no va bene okay ok certo allora e ma oh ah buongiorno buonasera salve ciao scusi scusa senta guardi ecco
    ehm beh grazie perfetto esatto perché oppure solo pronto`),
  closings: phraseSet(`
    per favore, per piacere, per cortesia, grazie, grazie mille, se possibile, nient'altro, è tutto, arrivederci,
    buona giornata, se è possibile, se non le dispiace`),
  phrases: {
    determiners: wordSet('l il un uno una mio mia miei nostro nostra suo sua i'),
    pronounArticles: wordSet('lo la gli le questo questa'),
    objectQuestions: wordSet('che cosa quale quali chi'),
    conjunctions: wordSet('che perché se'),
    relatives: wordSet('che cui quale'),
    firstPersons: wordSet('io'),
    degrees: wordSet('molto troppo piuttosto abbastanza'),
    adjectiveFirst: false,
    stranded: wordSet(''),
    prepositions: wordSet(`
    di del dello della dei degli delle dell d da dal dallo dalla dai dall in nel nello nella nei nell con su sul
    sulla sull per a al allo alla ai all tra fra senza`),
    adverbs: wordSet(`
    ieri oggi domani adesso ora praticamente purtroppo normalmente sempre ultimamente stamattina stasera l'altroieri`),
    softeners: wordSet(`
    anche forse ancora solo magari soltanto piuttosto già davvero purtroppo`),
    participleEndings: [],
    adjectives: wordSet(`
    scorso scorsa prossimo prossima nuovo nuova vecchio vecchia primo prima secondo seconda ultimo ultima altro
    altra stesso stessa due tre`),
    timeNouns: wordSet(`
    lunedì martedì mercoledì giovedì venerdì sabato domenica settimana mese anno giorno mattina pomeriggio sera
    notte volta momento settimane mesi anni giorni ore ora minuti fa`),
    articles: wordSet('la lo gli le questo questa'),
    indefinites: wordSet('un uno una '),
    verbEndings: ['o', 'ò', 'é', 'iamo'],
    nounEndings: [],
    pronominal: wordSet(`
    stesso non niente tutto qui qua lì favore bene meglio più cosa`),
    residenceVerbs: wordSet('abito abita abitiamo vivo risiedo residente'),
    subjectDeterminers: wordSet(''),
    modals: wordSet(''),
    objectModals: wordSet(''),
    wishModals: wordSet(''),
    objectPronouns: wordSet(`
    mi ti si ci vi ne lo la li le gli`),
    titles: wordSet('signora signor'),
    wishVerbs: wordSet('voglio volevo vorrei cerco preferisco piace'),
    lightVerbs: wordSet(''),
    helpWords: wordSet('aiutare aiutarla aiutarti fare successo accaduto'),
  },
  spoken: {
    hesitations: phraseSet(`
    beh, allora, cioè, ecco, insomma, diciamo, guardi, senta, vede, sa, in realtà, voglio dire,
    praticamente, dunque, il problema è, il fatto è, niente`),
    pastWords: wordSet("ieri l'altroieri scorso scorsa fa"),
    holds: phraseSet(`
    aspetti, aspetta, un attimo, un momento, un secondo, attimo, attenda, un attimino`),
    searches: phraseSet(`
    mi faccia vedere, mi faccia pensare, mi faccia controllare, mi lasci vedere, mi lasci pensare, mi lasci
    controllare, fammi vedere, guardo, controllo, devo guardare, devo controllare, devo cercare, devo cercarlo, vado
    a prendere, vado a vedere, che guardo, che controllo, che prendo, che cerco, che lo cerco, vediamo`),
    retractions: phraseSet(`
    no, scusi, scusa, mi scusi, anzi, cioè, mi sbaglio, ho sbagliato, voglio dire, sbagliato`),
    speakers: wordSet('io noi'),
    negations: wordSet(`
    non mai né nemmeno nessuno niente`),
    indefinitePersons: wordSet('qualcuno nessuno'),
    negativeObjects: wordSet('niente nulla'),
    elidedObjects: wordSet('l m t s c'),
    perfectAuxiliaries: wordSet('ho ha hai abbiamo avete hanno avevo aveva'),
    perfectCopulas: wordSet(''),
    firstPersonAuxiliaries: wordSet('ho sono abbiamo siamo'),
    conditionalEndings: ['rei', 'rebbe', 'remmo', 'reste', 'rebbero'],
    firstPersonEndings: [],
    quoteVerbs: phraseSet('dice, indica'),
    displayVerbs: phraseSet("compare, appare, c'è scritto, è scritto, sta scritto"),
    speechParticiples: phraseSet('dicendo, chiedendo, spiegando'),
    progressives: wordSet('sto stai sta stiamo stanno stavo stava stavano'),
    wishes: phraseSet('preferirei, preferiremmo'),
    impersonals: wordSet(`
    qui qua mi questo quello ciò`),
  },
  dictationLeads: {
    topics: {
      phone: phraseSet(`
    numero di telefono, telefono, numero di cellulare, cellulare, numero, recapito, recapito telefonico, prefisso`),
      email: phraseSet(`
    e-mail, email, mail, indirizzo e-mail, indirizzo email, indirizzo mail, posta elettronica, indirizzo di posta`),
      spelling: phraseSet('sillabare, lettera per lettera, si scrive, come si scrive, compitare, spelling'),
      birth_date: phraseSet('data di nascita, compleanno, nato il, nata il, nato, nata'),
      date: phraseSet('data, che giorno, quale giorno'),
      postcode: phraseSet('cap, codice di avviamento postale, codice postale'),
      reference: phraseSet(`
    numero cliente, numero di cliente, codice cliente, numero d'ordine, numero ordine, numero dell'ordine, numero di
    conto, numero di riferimento, riferimento, numero di prenotazione, codice di prenotazione, codice prenotazione,
    numero di fattura, numero di contratto, numero di polizza, numero della carta, carta di credito, iban, codice
    fiscale, numero di serie, codice, targa, numero di tracking, pod, pdr, numero di pratica, pratica, numero di
    tessera, tessera sanitaria, pin, lettura`),
      address: phraseSet('indirizzo, via'),
    },
    copulas: wordSet('è il lo la sarebbe sono era finisce inizia comincia allora'),
    leadIns: {
      phone: phraseSet(`
    mi può chiamare al, può chiamarmi al, chiamarmi al, mi chiami al, mi trova al, contattarmi al, al numero,
    richiamare al, mi richiami al`),
      email: phraseSet(`
    la mia mail, la mia email, la mia e-mail, scrivermi a, mandarmela a, la mandi a, inviarla a`),
      spelling: phraseSet(`
    si scrive, glielo sillabo, glielo scandisco, le faccio lo spelling, lo spelling è, faccio lo spelling, glielo
    dico lettera per lettera`),
    },
    statements: wordSet(`
    non sbagliato sbagliata giusto giusta corretto corretta stesso stessa già ancora sempre nel nella sul diverso
    diversa pieno piena mai troppo anche nuovo nuova vecchio vecchia sconosciuto qui dove quello quella che hackerato
    hackerata bloccato bloccata rotto rotta morto morta perso persa rubato rubata`),
    confirmations: wordSet('è sono era erano ha hanno avete'),
    months: wordSet(`
    gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre`),
    ordinals: wordSet('primo'),
    tens: wordSet(''),
    phoneDigits: { least: 9, most: 10, mostOther: 10 },
    postcodeDigits: 5,
    postcodeDigitsLeast: 5,
    postcodeLetters: 0,
  },
};

package whittle.healthy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Random;
import org.apache.lucene.analysis.standard.StandardAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.NumericDocValuesField;
import org.apache.lucene.document.StringField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.index.Term;
import org.apache.lucene.search.BooleanClause.Occur;
import org.apache.lucene.search.BooleanQuery;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.PhraseQuery;
import org.apache.lucene.search.Query;
import org.apache.lucene.search.SearcherManager;
import org.apache.lucene.search.TermQuery;
import org.apache.lucene.store.MMapDirectory;

/** Lucene: one thread replaces documents and sometimes commits. Another thread searches. */
public final class Search {
    private static final int DOCUMENTS = 20_000, WORDS = 5_000;

    private Search() {}

    /** Words as in natural text: few are frequent, most are rare. */
    private static String word(Random random) {
        double rank = Math.pow(random.nextDouble(), 3);
        return "word" + (int) (rank * WORDS);
    }

    private static Document document(Random random, int number) {
        StringBuilder text = new StringBuilder(1200);
        for (int i = 0; i < 120; i++) text.append(word(random)).append(' ');
        Document document = new Document();
        document.add(new StringField("id", Integer.toString(number), Field.Store.YES));
        document.add(new TextField("text", text.toString(), Field.Store.NO));
        document.add(new NumericDocValuesField("length", text.length()));
        return document;
    }

    private static Query query(Random random) {
        Query first = new TermQuery(new Term("text", word(random))), second = new TermQuery(new Term("text", word(random)));
        return switch (random.nextInt(3)) {
            case 0 -> new BooleanQuery.Builder().add(first, Occur.MUST).add(second, Occur.SHOULD).build();
            case 1 -> new BooleanQuery.Builder().add(first, Occur.MUST).add(second, Occur.MUST).build();
            default -> new PhraseQuery(1, "text", word(random), word(random));
        };
    }

    private static void index(IndexWriter writer, SearcherManager searchers, Random random) throws IOException {
        for (int i = 0; i < 500; i++) {
            int number = random.nextInt(DOCUMENTS);
            writer.updateDocument(new Term("id", Integer.toString(number)), document(random, number));
        }
        searchers.maybeRefresh();
        if (random.nextInt(10) == 0) writer.commit();
    }

    private static long search(SearcherManager searchers, Random random) throws IOException {
        IndexSearcher searcher = searchers.acquire();
        try {
            long hits = 0;
            for (int i = 0; i < 50; i++) hits += searcher.search(query(random), 10).totalHits.value;
            return hits;
        } finally {
            searchers.release(searcher);
        }
    }

    /** Runs for {@code -Dseconds}. */
    public static void main(String[] arguments) throws Exception {
        Path folder = Files.createTempDirectory("search");
        IndexWriter writer = new IndexWriter(new MMapDirectory(folder), new IndexWriterConfig(new StandardAnalyzer()));
        SearcherManager searchers = new SearcherManager(writer, null);
        Load.start("indexer", 1, indexing(writer, searchers));
        Load.start("searcher", 1, searching(searchers));
        Load.finish();
    }

    private static Load.Unit indexing(IndexWriter writer, SearcherManager searchers) {
        Random random = new Random(1);
        return thread -> index(writer, searchers, random);
    }

    private static Load.Unit searching(SearcherManager searchers) {
        Random random = new Random(2);
        return thread -> search(searchers, random);
    }
}

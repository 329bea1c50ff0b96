package com.acme.faults.jsoup;

import com.acme.load.Load;
import org.jsoup.Jsoup;
import org.jsoup.nodes.Document;
import org.jsoup.nodes.Element;

/** A reader that takes the chapter links of a book's page: those after the second heading of the list. */
public final class PageScraper {
    private PageScraper() {}

    public static void main(String[] args) {
        StringBuilder page = new StringBuilder("<html><body><h1>A book</h1><dl><dt>Latest</dt>");
        for (int i = 0; i < 10; i++) {
            page.append("<dd><a href='/b/").append(1000 - i).append("'>Chapter ").append(1000 - i).append("</a></dd>");
        }
        page.append("<dt>All</dt>");
        for (int i = 0; i < 120; i++) {
            page.append("<dd><a href='/b/").append(i).append("'>Chapter ").append(i).append("</a></dd>");
        }
        String html = page.append("</dl></body></html>").toString();
        Load.onThreads(2, "scrape", () -> () -> Load.kept = chapters(html).length());
    }

    private static String chapters(String html) {
        Document document = Jsoup.parse(html, "https://books.example/");
        StringBuilder chapters = new StringBuilder();
        for (Element link : document.select("dl > dt:nth-of-type(2) ~ dd > a")) {
            chapters.append(link.absUrl("href")).append(' ').append(link.text()).append('\n');
        }
        return chapters.toString();
    }
}

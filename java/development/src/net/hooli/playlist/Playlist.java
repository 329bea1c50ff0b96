package net.hooli.playlist;

import com.acme.load.Load;
import java.util.ArrayList;
import java.util.LinkedList;
import java.util.List;

/** A long list of songs. The next song is the best match among the songs that were not played yet. */
public final class Playlist {
    record Song(int key, int tempo) {}

    private final List<Song> songs;

    Playlist(List<Song> songs) {
        this.songs = songs;
    }

    static List<Song> library() {
        List<Song> songs = new LinkedList<>(); // [edit]
        // [new] List<Song> songs = new ArrayList<>();
        for (int i = 0; i < 1500; i++) songs.add(new Song(i * 7 % 24, 60 + i * 13 % 120));
        return songs;
    }

    int distance(int from, int to) {
        Song a = songs.get(from), b = songs.get(to); // [call] [or]
        return Math.abs(a.key() - b.key()) * 5 + Math.abs(a.tempo() - b.tempo());
    }

    int walk(int start) {
        int at = start, sum = 0;
        for (int step = 0; step < 20; step++) {
            int best = 0;
            for (int candidate = 0; candidate < 100; candidate++) {
                int other = (at * 31 + candidate * 17) % songs.size();
                if (distance(at, other) > distance(at, best)) best = other;
                for (int i = 0; i < 20; i++) sum = sum * 31 + (sum >>> 5);
            }
            at = best;
            sum += best;
        }
        return sum;
    }

    public static void main(String[] arguments) {
        Load.onThreads(2, "player", () -> {
            Playlist list = new Playlist(library());
            int[] start = new int[1];
            return () -> Load.kept = list.walk(start[0]++ % 1500);
        });
    }
}

package com.wrenfield.podcast

import com.acme.load.Load
import java.net.URI
import kotlin.random.Random

/** The shelf of a podcast app: chooses which new episodes to fetch tonight, and in which order. */
class FeedShelf(private val interests: Map<String, Int>, private val random: Random) {
    data class Episode(val show: String, val enclosure: String, val published: Long, val notes: String, val megabytes: Int)

    data class Fetch(val host: String, val episode: Episode, val startSecond: Int)

    private val shelf = ArrayDeque<Episode>()
    private var day = 0L
    // [new] private val hosts = object : LinkedHashMap<String, String>(512, 0.75f, true) {
    // [new]     override fun removeEldestEntry(eldest: Map.Entry<String, String>) = size > 400
    // [new] }

    init {
        repeat(CAPACITY) { shelf += publish() }
    }

    private fun publish(): Episode {
        val show = SHOWS.random(random)
        val number = random.nextInt(100, 999)
        val mirror = MIRRORS.random(random)
        val url = "https://$mirror/audio/$show/season-${number / 100}/$show-$number.mp3?source=feed&updated=${1700000000 + number}"
        val notes = (1..random.nextInt(12, 30)).joinToString(" ") { WORDS.random(random) }
        return Episode(show, url, day * 86_400 + random.nextInt(86_400), notes, random.nextInt(8, 90))
    }

    private fun hostOf(url: String): String =
        URI.create(url).host // [call] [edit]
        // [new] hosts.getOrPut(url) { URI.create(url).host }

    /** How much the listener may like the notes: known words count, and more so when they are close together. */
    private fun appeal(episode: Episode): Int {
        var score = 0
        var since = 100
        var start = 0
        while (start < episode.notes.length) {
            val end = episode.notes.indexOf(' ', start).let { if (it < 0) episode.notes.length else it }
            val weight = interests[episode.notes.substring(start, end)] ?: 0
            since = if (weight > 0) 0 else since + 1
            score += weight * (if (since < 5) 3 else 1)
            start = end + 1
        }
        return score
    }

    /** One connection per host: the fetches of a host come one after the other, the newest first. */
    private fun plan(chosen: List<Episode>): List<Fetch> {
        val ordered = chosen.sortedWith(compareBy<Episode> { hostOf(it.enclosure) }.thenByDescending { it.published }) // [or]
        val busyUntil = HashMap<String, Int>()
        return ordered.map { episode ->
            val host = hostOf(episode.enclosure)
            val start = busyUntil[host] ?: 0
            busyUntil[host] = start + episode.megabytes / 2 + 3
            Fetch(host, episode, start)
        }
    }

    /** The best use of the disk space: a knapsack over megabytes. */
    private fun choose(space: Int): List<Episode> {
        val best = IntArray(space + 1)
        val taken = Array(shelf.size) { BooleanArray(space + 1) }
        shelf.forEachIndexed { index, episode ->
            val appeal = appeal(episode) + 2
            for (room in space downTo episode.megabytes) {
                val with = best[room - episode.megabytes] + appeal
                if (with > best[room]) {
                    best[room] = with
                    taken[index][room] = true
                }
            }
        }
        val chosen = ArrayList<Episode>()
        var room = space
        for (index in shelf.indices.reversed()) if (taken[index][room]) {
            chosen += shelf[index]
            room -= shelf[index].megabytes
        }
        return chosen
    }

    fun night() {
        day++
        repeat(6) {
            shelf.removeFirst()
            shelf += publish()
        }
        val fetches = plan(choose(3000))
        Load.kept = fetches.sumOf { it.startSecond.toLong() * it.host.length + it.episode.published % 97 }
    }

    companion object {
        private const val CAPACITY = 130
        private val SHOWS = listOf("deep-ocean", "old-maps", "night-trains", "sourdough", "bees-and-us", "tiny-proofs")
        private val MIRRORS = listOf("cdn.wavepool.example", "media-2.tapehiss.example", "dl.longform-audio.example", "a.b.feedhost.example", "radio.example.org")
        private val WORDS = listOf("whale", "atlas", "sleeper", "rye", "queen", "lemma", "history", "interview", "live", "the", "of", "with", "about", "listener")

        @JvmStatic
        fun main(args: Array<String>) {
            val interests = mapOf("whale" to 5, "atlas" to 3, "lemma" to 7, "rye" to 2)
            Load.onThreads(2, "shelf") {
                val shelf = FeedShelf(interests, Random(88))
                Load.Unit { shelf.night() }
            }
        }
    }
}

package org.larch.catalogue

import com.acme.load.Load
import kotlin.random.Random

/** A variety in the catalogue of a seed merchant. */
class Variety(val code: Int, val text: String, val sowFrom: Int, val sowUntil: Int, val centsPerBag: Int) {
    // [new] private val folded = text.lowercase()
    fun mentions(term: String): Boolean =
        text.contains(term, ignoreCase = true) // [call] [edit]
        // [new] folded.contains(term)
}

data class Garden(val weeksOfFrost: IntRange, val beds: Int, val purseCents: Int)

/** How a set of varieties fills the beds of a garden over the weeks of a year. */
class BedPlan(private val garden: Garden) {
    private val busy = Array(garden.beds) { IntArray(52) }
    private val frost = IntArray(52) { week -> if (week in garden.weeksOfFrost) 3 else 0 }

    fun fits(variety: Variety): Int {
        var best = -1
        for (bed in 0 until garden.beds) {
            var clash = 0
            for (week in variety.sowFrom..variety.sowUntil)
                clash += busy[bed][week] + frost[week]
            val score = (variety.sowUntil - variety.sowFrom) * 4 - clash
            if (score > best) best = score
        }
        return best
    }

    fun take(variety: Variety, bed: Int) {
        for (week in variety.sowFrom..variety.sowUntil) busy[bed % garden.beds][week]++
    }
}

class Catalogue(private val varieties: List<Variety>) {
    fun search(request: String): List<Variety> {
        val terms = request.lowercase().split(' ')
        return varieties.filter { variety -> terms.all { variety.mentions(it) } }
    }

    fun advise(request: String, garden: Garden): Int {
        val plan = BedPlan(garden)
        var purse = garden.purseCents
        var bags = 0
        for (hit in search(request)) {
            val score = plan.fits(hit)
            if (score < 0 || hit.centsPerBag > purse) continue
            plan.take(hit, hit.code)
            purse -= hit.centsPerBag
            bags += 1 + score / 40
        }
        for (other in varieties) if (plan.fits(other) > 60) bags++
        return bags
    }
}

object SeedFinder {
    private val KINDS = listOf("Bush Bean", "Runner Bean", "Kohlrabi", "Beetroot", "Winter Squash", "Leaf Lettuce")
    private val TRAITS = listOf("Early", "Late", "Hardy to Frost", "for Balconies", "Heirloom from Styria", "Purple Skin", "Slow to Bolt")

    private fun print(): List<Variety> {
        val press = Random(11)
        return List(400) { code ->
            val from = press.nextInt(8, 30)
            Variety(code, "No. $code ${KINDS.random(press)}, ${TRAITS.random(press)}, ${TRAITS.random(press)}",
                from, from + press.nextInt(4, 18), press.nextInt(190, 520))
        }
    }

    @JvmStatic
    fun main(args: Array<String>) {
        val requests = listOf("bean frost", "heirloom", "LETTUCE bolt", "purple squash", "Styria early", "kohlrabi balconies",
            "runner hardy", "beetroot late", "Winter skin", "slow leaf", "bush heirloom")
        Load.onThreads(2, "seeds") {
            val catalogue = Catalogue(print())
            val garden = Garden(10..17, 4, 9_000)
            Load.Unit { Load.kept = requests.sumOf { catalogue.advise(it, garden) } }
        }
    }
}

package com.copperbell.post

import com.acme.load.Load
import java.util.zip.CRC32
import scala.collection.mutable
import scala.util.Random

/** A line on an envelope, as the sorting machine understood it. */
enum Part:
  case Street(name: String, number: Int)
  case Town(code: String, name: String)
  case Box(number: Int)
  case Other(text: String)

final case class Envelope(weight: Int, lines: List[String])

final case class Sorted(route: Int, parts: List[Part], cents: Int)

/** Reads the lines of addresses. */
object Reader:
  private val shortForms = Map("str." -> "street", "rd." -> "road", "ave." -> "avenue", "st." -> "saint", "ln." -> "lane")

  private def spelledOut(line: String): String =
    line.toLowerCase.split(' ').map(word => shortForms.getOrElse(word, word)).mkString(" ")

  // [new] private val townLine = "([a-z]{2}\\d{4}) ([a-z ]+)".r
  // [new] private val boxLine = "p\\.?o\\.? box (\\d+)".r

  def part(line: String): Part =
    val text = spelledOut(line)
    val townLine = "([a-z]{2}\\d{4}) ([a-z ]+)".r // [call] [edit]
    val boxLine = "p\\.?o\\.? box (\\d+)".r // [call] [edit]
    text match
      case townLine(code, name) => Part.Town(code, name)
      case boxLine(number) => Part.Box(number.toInt)
      case _ => street(text)

  private def street(text: String): Part =
    val space = text.lastIndexOf(' ')
    text.substring(space + 1).toIntOption match
      case Some(number) if space > 0 => Part.Street(text.substring(0, space), number)
      case _ => Part.Other(text)

/** The towns that the office knows; a misspelled name gets the route of the most similar one. */
final class Gazetteer(towns: Vector[String]):
  private val routeOf = towns.zipWithIndex.toMap

  def route(name: String): Int =
    routeOf.getOrElse(name, towns.indices.minBy(i => edits(name, towns(i))))

  private def edits(a: String, b: String): Int =
    var before = Array.tabulate(b.length + 1)(identity)
    var now = new Array[Int](b.length + 1)
    for i <- 1 to a.length do
      now(0) = i
      var j = 1
      while j <= b.length do
        val same = before(j - 1) + (if a.charAt(i - 1) == b.charAt(j - 1) then 0 else 1)
        now(j) = math.min(same, 1 + math.min(before(j), now(j - 1)))
        j += 1
      val swap = before
      before = now
      now = swap
    before(b.length)

final class AddressDesk(gazetteer: Gazetteer):
  def sort(envelope: Envelope): Sorted =
    val parts = envelope.lines.map(Reader.part)
    val route = parts.collectFirst { case Part.Town(_, name) => gazetteer.route(name) }.getOrElse(-1)
    val cents = parts.foldLeft(60 + envelope.weight / 20 * 15) {
      case (sum, Part.Box(_)) => sum - 10
      case (sum, Part.Street(_, number)) if number > 400 => sum + 5
      case (sum, _) => sum
    }
    Sorted(route, parts, cents)

  def bag(envelopes: Seq[Envelope]): String =
    val routes = mutable.TreeMap.empty[Int, List[Sorted]].withDefaultValue(Nil)
    for letter <- envelopes.map(sort) do routes(letter.route) = letter :: routes(letter.route)
    val seal = CRC32()
    for (route, letters) <- routes; letter <- letters do
      seal.update(s"$route ${letter.parts.mkString("/")} ${letter.cents}".getBytes("UTF-8"))
    s"${routes.size} routes, ${routes.values.flatten.map(_.cents).sum} cents, seal ${seal.getValue}"

object PostOffice:
  private def envelope(random: Random, towns: Vector[String]): Envelope =
    val town = towns(random.nextInt(towns.size))
    val spelled = if random.nextInt(8) == 0 then town.patch(random.nextInt(town.length), "x", 1) else town
    val place =
      if random.nextInt(4) == 0 then s"P.O. Box ${random.nextInt(9000)}"
      else s"${random.alphanumeric.filter(_.isLetter).take(9).mkString} Rd. ${1 + random.nextInt(500)}"
    Envelope(random.nextInt(120), List(s"Dr. ${random.nextPrintableChar()} Miller", place, s"CB${1000 + random.nextInt(9000)} $spelled"))

  def main(args: Array[String]): Unit =
    val random = Random(1840)
    val towns = Vector.fill(120)(random.alphanumeric.filter(_.isLower).take(7 + random.nextInt(6)).mkString)
    Load.onThreads(2, "sorter", () =>
      val desk = AddressDesk(Gazetteer(towns))
      val sack = Vector.fill(200)(envelope(random, towns))
      () => Load.kept = desk.bag(sack))
